// kinema face info: the contents of an appearance model, and its modes as images.
#include "app/options/face_options.h"
#include "app/options/options.h"
#include "io/faces/face_model_file.h"
#include "io/files/output_file.h"
#include "io/overlays/face_overlay.h"
#include "io/pictures/image_file.h"
#include "kinema/error.h"
#include "kinema/files.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>

namespace kinema::app {
namespace {

using nlohmann::ordered_json;

struct FaceInfoOptions {
  CommonOptions common;
  std::string model, modes;
  std::size_t count = 6;
};

ordered_json to_json(const face::Model& model, const std::vector<io::FaceModelSection>& sections,
                     std::uintmax_t bytes) {
  ordered_json json;
  json["landmarks"] = model.shape.landmarks();
  json["examples"] = model.examples;
  json["mirrored"] = model.mirrored;
  json["note"] = model.note;
  json["bytes"] = bytes;
  json["triangles"] = model.triangles.size();
  json["outer_eyes"] = model.layout.outer_eyes;
  json["groups"] = ordered_json::object();
  for (const face::Layout::Group& group : model.layout.groups) json["groups"][group.name] = group.points;
  json["shape_modes"] = model.shape.modes.rows;
  json["shape_variances"] = std::vector<float>(model.shape.variances.begin(), model.shape.variances.end());
  json["levels"] = ordered_json::array();
  for (const face::Level& level : model.levels) {
    json["levels"].push_back({{"pixels", level.pixels()},
                              {"features", name(level.features)},
                              {"channels", level.channel_count()},
                              {"photometric", level.photometric},
                              {"resampled", level.resampled},
                              {"width", level.width},
                              {"height", level.height},
                              {"texture_modes", level.texture_modes.rows},
                              {"combined_modes", level.texture_combined.rows},
                              {"gradient", level.gradient.rows > 0},
                              {"project_out", level.project_out.rows > 0}});
  }
  json["cascade_stages"] = model.cascade.stages.size();
  json["quality"] = !model.quality.weights.empty();
  json["detector"] = model.detector_box.scale > 0;
  json["detector_box"] = {model.detector_box.x, model.detector_box.y, model.detector_box.scale};
  json["sequence"] = stages_text(model.sequence);
  json["sections"] = ordered_json::array();
  for (const io::FaceModelSection& section : sections) {
    json["sections"].push_back(
        {{"name", section.name}, {"type", section.type}, {"elements", section.elements}, {"bytes", section.bytes}});
  }
  return json;
}

void print_model(const std::string& name, const face::Model& model, std::uintmax_t bytes) {
  fmt::print("{}: an appearance model of {} landmarks, {:.1f} MB\n", name, model.shape.landmarks(),
             static_cast<double>(bytes) / 1e6);
  if (!model.note.empty()) fmt::print("  note       {}\n", model.note);
  fmt::print("  trained    on {} faces{}\n", model.examples, model.mirrored ? ", mirror images among them" : "");
  std::string groups;
  for (const face::Layout::Group& group : model.layout.groups) {
    groups += fmt::format("{}{} ({})", groups.empty() ? "" : ", ", group.name, group.points.size());
  }
  fmt::print("  groups     {}\n", groups.empty() ? "none named" : groups);
  float sum = 0, first = model.shape.variances.empty() ? 0 : model.shape.variances[0];
  for (float variance : model.shape.variances) sum += variance;
  fmt::print("  shape      {} modes, the first with {:.0f} % of their variance; {} triangles\n", model.shape.modes.rows,
             sum > 0 ? 100 * first / sum : 0, model.triangles.size());
  for (std::size_t i = 0; i < model.levels.size(); ++i) {
    const face::Level& level = model.levels[i];
    fmt::print("  level {}    {} pixels of {} ({} channel{}{}), {} texture modes, {} combined{}{}\n", i, level.pixels(),
               face::name(level.features), level.channel_count(), level.channel_count() == 1 ? "" : "s",
               level.resampled ? fmt::format(", from a frame of {} x {}", level.frame.width, level.frame.height) : "",
               level.texture_modes.rows, level.texture_combined.rows, level.gradient.rows > 0 ? ", R" : "",
               level.project_out.rows > 0 ? ", project-out" : "");
  }
  fmt::print("  cascade    {} stages\n", model.cascade.stages.size());
  fmt::print("  score      {}\n",
             model.quality.weights.empty() ? "not learnt" : "probability of failure, confidence of each landmark");
  fmt::print("  detector   {}\n", model.detector_box.scale > 0 ? "its boxes are known" : "not known");
  fmt::print("  sequence   {}\n", stages_text(model.sequence));
}

// A shape of the model as lines on a dark background.
io::Picture shape_picture(const face::Model& model, const std::vector<float>& shape, const std::string& caption) {
  constexpr int side = 240;
  float reach = 0.5f;
  for (float value : model.shape.mean) reach = std::max(reach, std::abs(value));
  const float scale = 0.42f * side / reach;
  io::Picture picture{side, side, std::vector<std::uint8_t>(3 * side * side, 30)};
  std::vector<float> placed;
  placed.reserve(shape.size());
  for (float value : shape) placed.push_back(value * scale + side / 2.0f);
  io::FaceDrawing drawing;
  drawing.caption = caption;
  io::draw_landmarks(picture, placed, model.layout, model.triangles, drawing);
  return picture;
}

void draw_shape_modes(const face::Model& model, const std::filesystem::path& folder, std::size_t most) {
  std::vector<io::Picture> pictures;
  for (std::size_t mode = 0; mode < std::min(most, model.shape.modes.rows); ++mode) {
    const float deviation = std::sqrt(std::max(0.0f, model.shape.variances[mode]));
    for (int step : {-2, 0, 2}) {
      std::vector<float> shape(model.shape.mean.begin(), model.shape.mean.end());
      const std::span<const float> row = model.shape.modes.row(mode);
      for (std::size_t i = 0; i < shape.size(); ++i) shape[i] += static_cast<float>(step) * deviation * row[i];
      pictures.push_back(
          shape_picture(model, shape, step == 0 ? "mean" : fmt::format("shape mode {}: {:+} sigma", mode, step)));
    }
  }
  io::write_picture_png(folder / "shape_modes.png", io::contact_sheet(pictures, 3, 240, 240));
}

void draw_texture_modes(const face::Level& level, std::size_t number, const std::filesystem::path& folder,
                        std::size_t most) {
  std::vector<io::Picture> pictures;
  for (std::size_t mode = 0; mode < std::min(most, level.texture_modes.rows); ++mode) {
    const float deviation = std::sqrt(std::max(0.0f, level.texture_variances[mode]));
    for (int step : {-2, 0, 2}) {
      std::vector<float> texture(level.mean.begin(), level.mean.end());
      const std::span<const float> row = level.texture_modes.row(mode);
      for (std::size_t i = 0; i < texture.size(); ++i) texture[i] += static_cast<float>(step) * deviation * row[i];
      pictures.push_back(io::texture_picture(level, texture));
    }
  }
  if (pictures.empty()) pictures.push_back(io::texture_picture(level, level.mean));
  io::write_picture_png(folder / fmt::format("texture_modes_level{}.png", number),
                        io::contact_sheet(pictures, 3, 240, 240));
}

void run(const FaceInfoOptions& options) {
  const face::Model model = options.model.empty() ? read_face_model() : io::read_face_model(options.model);
  std::error_code ignored;
  const std::uintmax_t bytes = std::filesystem::file_size(options.model, ignored);
  if (!options.modes.empty()) {
    io::make_folder(options.modes);
    draw_shape_modes(model, options.modes, options.count);
    for (std::size_t i = 0; i < model.levels.size(); ++i)
      draw_texture_modes(model.levels[i], i, options.modes, options.count);
  }
  if (options.common.json)
    print_json(to_json(model, io::list_face_model(options.model), bytes));
  else
    print_model(options.model, model, bytes);
}

}  // namespace

void add_face_info(Verb parent, Task& task) {
  Verb verb = parent.add("info", "Describe an appearance model");
  const auto options = std::make_shared<FaceInfoOptions>();
  options->model = default_face_model().string();
  verb.option("--model,model", options->model, "M.kface", "The model file, in place of kinema's own");
  verb.option("--modes", options->modes, "DIR", "Folder for pictures of the modes of shape and texture");
  verb.option("--count", options->count, "N", "Number of modes to draw").between(1, 100).show_default();
  add_common_options(verb, options->common);
  verb.chosen([options, &task] { task.run = [options](const Ranks&) { run(*options); }; });
}

}  // namespace kinema::app
