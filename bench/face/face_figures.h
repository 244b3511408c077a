// Figures 2 and 5 of the face paper, and frames of a film, as JSON and a section of the page of `kinema bench face`.
#pragma once

#include "bench/face/face_report.h"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace kinema::bench {

/// Where the time of a frame goes (figure 2).
struct FaceShares {
  std::string fit;         ///< "paper": algorithm 1; "default"
  std::string backend;     ///< "listing", "paper", "cpu", "cuda"
  std::size_t pixels = 0;  ///< of the paper's models; 0: of the default fit
  std::vector<StageTime> parts;

  double total() const;
};

/// Of every row that knows its parts. In the cpu and cuda backends the parts of algorithm 1 are one pass over the texture.
std::vector<FaceShares> face_shares(const FaceReport& report);

void add_figures(const FaceReport& report, nlohmann::ordered_json& json);
std::vector<report::Section> figure_sections(const FaceReport& report);

}  // namespace kinema::bench
