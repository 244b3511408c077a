// Shared by the verbs of the face: parsing of option values, models and labelled images read with a progress bar, and
// messages about what was left out.
#pragma once

#include "app/options/options.h"
#include "io/faces/labelled_images.h"
#include "kinema/face.h"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kinema::app {

/// "cascade,simultaneous:0:20": methods with a level and iterations. Throws Error for an unknown word.
std::vector<face::Stage> parse_stages(const std::string& text);
std::string stages_text(const std::vector<face::Stage>& stages);

/// Which backend ran what: "cpu", or "cuda (combined) and cpu (cascade, simultaneous)".
std::string places_text(const std::vector<face::PlacedStage>& stages);
nlohmann::ordered_json places_json(const std::vector<face::PlacedStage>& stages);

/// Fits as requested on the command line.
struct FitOptions {
  std::string model, stages;
  int starts = 1;
  double limit = 3;
};
void add_fit_options(Verb verb, FitOptions& options);

/// The model that was asked for, or else the one that ships.
std::shared_ptr<const face::Model> fit_model(const FitOptions& options);
face::FitSettings fit_settings(const FitOptions& options);

/// The sources of landmarks.
struct ImageOptions {
  std::vector<std::string> images;
  std::optional<double> first_pixel;
};
/// `required`: there is no other source.
void add_image_options(Verb verb, ImageOptions& options, bool required = true);

/// Labelled images in memory, as far as they could be read.
struct FaceExamples {
  std::vector<io::LabelledImage> files;  ///< none of drawn faces
  std::vector<io::GreyImage> images;
  std::vector<std::vector<float>> landmarks;
  std::size_t points = 0;             ///< landmarks of each
  std::vector<std::string> left_out;  ///< messages about what could not be used

  std::size_t size() const { return images.size(); }
};

/// Throws Error if nothing could be read.
FaceExamples read_examples(const ImageOptions& options);

/// On standard error: the first few, and the number of the rest.
void print_left_out(const std::vector<std::string>& lines, Console console = {});

/// The mean landmark error over the distance of the outer eye corners (of `truth`), over the landmarks in `points`;
/// over all if it is empty.
double landmark_error(const face::Layout& layout, const std::vector<float>& landmarks, const std::vector<float>& truth,
                      const std::vector<int>& points = {});

/// The 49 of 68 landmarks without the jaw and the inner corners of the mouth; empty for other numbers.
std::vector<int> inner_points(std::size_t landmarks);

}  // namespace kinema::app
