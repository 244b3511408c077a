// The results of `kinema bench body`, and their forms: JSON for programs, a report page.
#pragma once

#include "bench/machine.h"
#include "bench/stages.h"
#include "bench/statistics.h"
#include "kinema/body.h"
#include "report/report.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kinema::bench {

/// One backend on one size of problem.
struct BodyRow {
  std::string backend;
  body::Association association = body::Association::nearest;
  std::size_t points = 0, samples = 0;

  /// The number of samples actually evaluated; if fewer than `samples`, times are scaled up in proportion.
  std::size_t timed_samples = 0;
  std::size_t repeats = 0;

  Spread ms;                      ///< wall clock around evaluate(), all samples
  std::vector<StageTime> stages;  ///< medians reported by the backend itself; "device": all work on the GPU
  double set_points_ms = 0;       ///< once per frame, not part of `ms`

  double pairs_per_second = 0;                            ///< points x samples x capsules over `ms`
  std::optional<double> speedup_listing, speedup_embree;  ///< over these at the same size, by `ms`
  std::optional<double> speedup_paper;                    ///< over the paper's kernels, by "device"

  int points_per_block = 0;  ///< of the paper's kernels; 0: others

  /// Of the log-likelihood, relative to the reference with the same association, over the first `error_samples`
  /// samples: all of them at the fewest points.
  double max_relative_error = 0;
  std::size_t error_samples = 0;

  /// The time of a stage, if the backend reports it.
  std::optional<double> stage(std::string_view wanted) const { return stage_ms(stages, wanted); }
};

/// The paper's kernels with blocks of one size, at the largest problem.
struct BlockRow {
  int points_per_block = 0;
  Spread ms;  ///< by the device's clock
};

/// The listing on some of the samples, at the most points: that its time is linear in them.
struct LinearRow {
  std::size_t points = 0, samples = 0;
  Spread ms;
};

/// The time a backend takes to set the points of a frame.
struct SetPointsRow {
  std::string backend;
  body::Association association = body::Association::nearest;
  std::size_t points = 0;
  Spread ms;
  std::vector<StageTime> stages;
};

/// The whole tracker on a sequence of frames.
struct TrackerRow {
  std::string backend;
  std::string filter = "default";  ///< or "paper": paper_settings() on the points as measured
  body::Association association = body::Association::first_hit;
  std::size_t particles = 0;
  int layers = 0, refined = 0, refine_steps = 0, rivals = 0;
  std::string input;                       ///< "points" of the person, or of what it is cut out: "depth", "pair"
  int width = 0, height = 0;               ///< of the pictures, if it is cut out
  std::size_t points = 0, background = 0;  ///< of a frame, medians
  std::size_t frames = 0;                  ///< that were timed
  std::size_t lost = 0;                    ///< frames in which the person was not found
  double frames_per_second = 0;
  Spread ms;                      ///< of a frame
  std::vector<StageTime> stages;  ///< medians; "device ...": of a GPU, by its own clock
  double joint_error = 0;         ///< mean distance of a joint from the truth, metres

  /// Figure 1: the points and the skin of the last frame; of the first row that is cut out of pairs.
  std::optional<report::Scenes::Scene> scene;
};

/// "points", "depth 640x480".
std::string input_text(const TrackerRow& row);

/// Stereo matching of whole pictures.
struct MatcherRow {
  std::string name;  ///< a backend, or another program
  int width = 0, height = 0, disparities = 0;
  Spread ms;
  std::size_t repeats = 0;
  std::vector<StageTime> stages;  ///< medians; of a GPU by its own clock
  double known = 0, wrong = 0;  ///< shares: of pixels that have a disparity, and of these that are off by over a pixel
};

struct BodyReport : RunReport {
  body::LikelihoodSettings settings;

  /// The sweeps, ascending: points at the most samples, and samples at the most points.
  std::vector<std::size_t> points, samples;
  std::vector<BodyRow> rows;
  std::vector<SetPointsRow> set_points;
  std::vector<BlockRow> blocks;
  std::vector<LinearRow> linear;
  std::vector<TrackerRow> trackers;
  std::vector<MatcherRow> matchers;

  /// Rows of one sweep, in the order of the sweep.
  std::vector<const BodyRow*> by_points() const;
  std::vector<const BodyRow*> by_samples() const;
};

/// Fills the speed-ups of every row from the rows of the same size.
void compare_rows(std::vector<BodyRow>& rows);

std::string_view name(body::Association association);

std::string body_json(const BodyReport& report);
report::Report body_page(const BodyReport& report);

}  // namespace kinema::bench
