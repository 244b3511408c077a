#include "app/options/face_options.h"

#include "app/options/progress.h"
#include "io/files/input_file.h"
#include "io/files/text.h"
#include "kinema/error.h"
#include "kinema/files.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

namespace kinema::app {
namespace {

std::uint32_t whole(const std::string& text, const std::string& stage) {
  const auto value = io::exact_number_in<std::uint32_t>(text);
  if (!value || *value > 10000) throw Error(fmt::format("--stages: '{}' in '{}' is not a whole number", text, stage));
  return *value;
}

}  // namespace

std::vector<face::Stage> parse_stages(const std::string& text) {
  std::vector<face::Stage> stages;
  if (text.empty()) return stages;
  for (const std::string& part : split(text, ',')) {
    const std::vector<std::string> words = split(part, ':');
    const auto found = std::find(face::method_names.begin(), face::method_names.end(), words[0]);
    if (found == face::method_names.end() || words.size() > 4) {
      throw Error(
          fmt::format("--stages: '{}' is not a stage: METHOD[:LEVEL[:ITERATIONS[:PRIOR]]] with METHOD one of {}", part,
                      fmt::join(face::method_names, ", ")));
    }
    face::Stage stage;
    stage.method = static_cast<face::Method>(found - face::method_names.begin());
    if (stage.method == face::Method::cascade) stage.iterations = 0;
    if (words.size() > 1) stage.level = whole(words[1], part);
    if (words.size() > 2) stage.iterations = whole(words[2], part);
    if (words.size() > 3) stage.prior = static_cast<float>(std::atof(words[3].c_str()));
    stages.push_back(stage);
  }
  return stages;
}

std::string stages_text(const std::vector<face::Stage>& stages) {
  std::string text;
  for (const face::Stage& stage : stages) {
    text += fmt::format("{}{}", text.empty() ? "" : ", ", name(stage.method));
    if (stage.method != face::Method::cascade) text += fmt::format(":{}:{}", stage.level, stage.iterations);
    if (stage.prior > 0) text += fmt::format(":{:g}", stage.prior);
  }
  return text;
}

std::string places_text(const std::vector<face::PlacedStage>& stages) {
  std::map<Backend, std::vector<std::string_view>> by_place;
  for (const face::PlacedStage& placed : stages) {
    auto& list = by_place[placed.backend];
    if (std::find(list.begin(), list.end(), name(placed.stage.method)) == list.end())
      list.push_back(name(placed.stage.method));
  }
  if (by_place.size() == 1) return std::string(name(by_place.begin()->first));
  std::vector<std::string> parts;
  for (auto place = by_place.rbegin(); place != by_place.rend(); ++place)  // cuda before cpu
    parts.push_back(fmt::format("{} ({})", name(place->first), fmt::join(place->second, ", ")));
  return fmt::format("{}", fmt::join(parts, " and "));
}

nlohmann::ordered_json places_json(const std::vector<face::PlacedStage>& stages) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const face::PlacedStage& placed : stages)
    json.push_back({{"method", name(placed.stage.method)}, {"backend", name(placed.backend)}});
  return json;
}

void add_fit_options(Verb verb, FitOptions& options) {
  options.model = default_face_model().string();
  verb.option("--model", options.model, "M.kface",
              "The appearance model, from kinema face train, in place of kinema's own");
  verb.option("--stages", options.stages, "LIST",
              "Stages of a fit, in place of the model's: METHOD[:LEVEL[:ITERATIONS[:PRIOR]]],... with METHOD "
              "cascade, combined, project-out or simultaneous");
  verb.option("--starts", options.starts, "N",
              "Number of starts of the cascade, of which the median is taken: steadier, slower")
      .between(1, 64)
      .show_default();
  verb.option("--limit", options.limit, "S", "Limit of the parameters, in standard deviations; 0: none")
      .between(0.0, 1000.0)
      .show_default();
}

std::shared_ptr<const face::Model> fit_model(const FitOptions& options) {
  return std::make_shared<const face::Model>(options.model.empty() ? read_face_model()
                                                                   : read_face_model(options.model));
}

face::FitSettings fit_settings(const FitOptions& options) {
  face::FitSettings settings;
  settings.stages = parse_stages(options.stages);
  settings.starts = options.starts;
  settings.limit = options.limit;
  return settings;
}

void add_image_options(Verb verb, ImageOptions& options, bool required) {
  auto images = verb.option(
      "--images", options.images, "DIR|FILE",
      "Folders of pictures with landmarks (NAME.jpg with NAME.pts or NAME.asf), or dlib XML, COCO JSON, CSV");
  if (required) images.required();
  verb.option("--first-pixel", options.first_pixel, "N",
              "Coordinate of the first pixel in the files (.pts: 1, as in 300-W; others: 0)")
      .between(-1.0, 1.0);
}

FaceExamples read_examples(const ImageOptions& options) {
  const std::vector<std::filesystem::path> sources(options.images.begin(), options.images.end());
  io::LabelledSet set = io::find_labelled_images(sources, {options.first_pixel});
  FaceExamples examples;
  examples.points = set.landmarks;
  examples.left_out = std::move(set.left_out);
  Progress progress("reading", set.images.size(), true);
  for (io::LabelledImage& image : set.images) {
    try {
      io::LabelledPicture picture = io::read_labelled(image);
      examples.images.push_back(std::move(picture.grey));
      examples.landmarks.push_back(std::move(picture.landmarks));
      examples.files.push_back(std::move(image));
    } catch (const Error& error) {
      examples.left_out.emplace_back(error.what());
    }
    progress.show(examples.size());
  }
  if (examples.files.empty()) {
    throw Error(fmt::format("{}: none of its {} faces can be used (first: {})", options.images.front(),
                            set.images.size(), examples.left_out.empty() ? "" : examples.left_out.back()));
  }
  return examples;
}

void print_left_out(const std::vector<std::string>& lines, Console console) {
  constexpr std::size_t most = 12;
  for (std::size_t i = 0; i < std::min(most, lines.size()); ++i) {
    warn(console.err, "left out: {}", io::printable(lines[i], 400));
  }
  if (lines.size() > most) warn(console.err, "left out: {} more", lines.size() - most);
}

double landmark_error(const face::Layout& layout, const std::vector<float>& landmarks, const std::vector<float>& truth,
                      const std::vector<int>& points) {
  const auto at = [](const std::vector<float>& shape, std::size_t i, std::size_t axis) {
    return static_cast<double>(shape[2 * i + axis]);
  };
  const std::size_t count = truth.size() / 2;
  double size = 0;
  if (layout.outer_eyes[0] >= 0) {
    const auto left = static_cast<std::size_t>(layout.outer_eyes[0]),
               right = static_cast<std::size_t>(layout.outer_eyes[1]);
    size = std::hypot(at(truth, left, 0) - at(truth, right, 0), at(truth, left, 1) - at(truth, right, 1));
  } else {
    // the root mean square distance from the middle
    double x = 0, y = 0, sum = 0;
    for (std::size_t i = 0; i < count; ++i)
      x += at(truth, i, 0) / static_cast<double>(count), y += at(truth, i, 1) / static_cast<double>(count);
    for (std::size_t i = 0; i < count; ++i) sum += std::pow(at(truth, i, 0) - x, 2) + std::pow(at(truth, i, 1) - y, 2);
    size = std::sqrt(sum / static_cast<double>(count));
  }
  double total = 0;
  const std::size_t used = points.empty() ? count : points.size();
  for (std::size_t k = 0; k < used; ++k) {
    const std::size_t i = points.empty() ? k : static_cast<std::size_t>(points[k]);
    total += std::hypot(at(landmarks, i, 0) - at(truth, i, 0), at(landmarks, i, 1) - at(truth, i, 1));
  }
  return total / static_cast<double>(used) / std::max(1e-9, size);
}

std::vector<int> inner_points(std::size_t landmarks) {
  std::vector<int> points;
  if (landmarks != 68) return points;
  for (int i = 17; i < 68; ++i) {
    if (i != 60 && i != 64) points.push_back(i);
  }
  return points;
}

}  // namespace kinema::app
