#include "io/faces/face_model_file.h"

#include "io/faces/face_model_archive.h"
#include "io/files/input_file.h"
#include "io/files/output_file.h"

namespace kinema::io {
namespace {

using namespace face;

constexpr SectionFormat model_format{
    {'K', 'F', 'A', 'C', 'E', '\r', '\n', '\x1a'}, 1, "an appearance model of kinema (.kface)"};

constexpr std::array<Word<Features>, 3> feature_words{
    {{Features::intensity, "intensity"}, {Features::orientation, "orientation"}, {Features::edges, "edges"}}};
constexpr std::array<Word<Method>, 4> method_words{{{Method::cascade, "cascade"},
                                                    {Method::combined, "combined"},
                                                    {Method::project_out, "project_out"},
                                                    {Method::simultaneous, "simultaneous"}}};

// Limits that no model exceeds; a file that does is refused.
constexpr std::size_t most_groups = 256, most_levels = 16, most_frames = 64, most_stages = 256;

template <class Archive>
void describe(Archive& file, Layout& layout) {
  file.list("groups", layout.groups, most_groups, [](Archive& inner, Layout::Group& group) {
    inner.value("name", group.name);
    inner.indices("points", group.points);
    inner.value("closed", group.closed);
  });
  file.indices("mirror", layout.mirror);
  file.triangles("triangles", layout.triangles);
  file.value("left_eye", layout.outer_eyes[0]);
  file.value("right_eye", layout.outer_eyes[1]);
}

template <class Archive>
void describe(Archive& file, face::Frame& frame) {
  file.value("scale", frame.scale);
  file.value("x", frame.x);
  file.value("y", frame.y);
  file.value("width", frame.width);
  file.value("height", frame.height);
}

template <class Archive>
void describe(Archive& file, BoxPlacement& box) {
  file.value("x", box.x);
  file.value("y", box.y);
  file.value("scale", box.scale);
}

template <class Archive>
void describe(Archive& file, Level& level) {
  file.choice("features", level.features, feature_words);
  file.value("photometric", level.photometric);
  file.value("resampled", level.resampled);
  file.object("frame", [&](Archive& inner) { describe(inner, level.frame); });
  file.value("scale", level.scale);
  file.value("width", level.width);
  file.value("height", level.height);
  file.array("places", level.places);
  file.array("pixel_triangles", level.pixel_triangles);
  file.array("barycentric", level.barycentric);
  file.array("neighbours", level.neighbours);
  file.array("mean", level.mean);
  file.matrix("texture_modes", level.texture_modes);
  file.array("texture_variances", level.texture_variances);
  file.value("residual_variance", level.residual_variance);
  file.value("shape_weight", level.shape_weight);
  file.matrix("shape_combined", level.shape_combined);
  file.matrix("texture_combined", level.texture_combined);
  file.array("combined_variances", level.combined_variances);
  file.matrix("gradient", level.gradient);
  file.matrix("project_out", level.project_out);
}

template <class Archive>
void describe(Archive& file, Model& model) {
  file.object("layout", [&](Archive& inner) { describe(inner, model.layout); });
  file.array("shape/mean", model.shape.mean);
  file.matrix("shape/modes", model.shape.modes);
  file.array("shape/variances", model.shape.variances);
  file.triangles("triangles", model.triangles);
  file.matrix("pose_modes", model.pose_modes);
  file.list("levels", model.levels, most_levels, [](Archive& inner, Level& level) { describe(inner, level); });
  file.object("cascade", [&](Archive& cascade) {
    cascade.value("bins", model.cascade.bins);
    cascade.list("frames", model.cascade.frames, most_frames,
                 [](Archive& inner, face::Frame& frame) { describe(inner, frame); });
    cascade.list("stages", model.cascade.stages, most_stages, [](Archive& inner, CascadeStage& stage) {
      inner.value("frame", stage.frame);
      inner.array("offsets", stage.offsets);
      inner.matrix("gradient", stage.gradient);
      inner.array("constant", stage.constant);
    });
  });
  file.object("quality", [&](Archive& inner) {
    inner.object("frame", [&](Archive& frame) { describe(frame, model.quality.frame); });
    inner.array("offsets", model.quality.offsets);
    inner.matrix("landmark_error", model.quality.landmark_error);
    inner.array("overall_error", model.quality.overall_error);
    inner.array("weights", model.quality.weights);
    inner.array("shape_weights", model.quality.shape_weights);
    inner.array("landmark_weights", model.quality.landmark_weights);
  });
  file.object("landmark_box", [&](Archive& inner) { describe(inner, model.landmark_box); });
  file.object("detector_box", [&](Archive& inner) { describe(inner, model.detector_box); });
  file.list("sequence", model.sequence, most_stages, [](Archive& inner, Stage& stage) {
    inner.choice("method", stage.method, method_words);
    inner.value("level", stage.level);
    inner.value("iterations", stage.iterations);
    inner.value("prior", stage.prior);
  });
  file.value("examples", model.examples);
  file.value("mirrored", model.mirrored);
  file.value("note", model.note);
}

std::string_view type_name(SectionType type) {
  switch (type) {
    case SectionType::bytes:
      return "bytes";
    case SectionType::uint16:
      return "uint16";
    case SectionType::uint32:
      return "uint32";
    case SectionType::float32:
      return "float32";
  }
  return "";
}

}  // namespace

void write_face_model(const std::filesystem::path& path, const Model& model, FaceModelPrecision precision) {
  OutputFile file(path);
  check(model);
  SectionWriter sections(model_format);
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  Model described = model;  // shares its arrays
  std::deque<SmallMatrix> small;
  SavingArchive archive(sections, json, precision == FaceModelPrecision::small ? &small : nullptr);
  describe(archive, described);
  const std::string text = json.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
  sections.add("model", std::string_view(text));
  sections.write(file);
  file.commit();
}

Model read_face_model(const std::filesystem::path& path) {
  return naming(path, [&] {
    const SectionReader sections(path, model_format);
    const nlohmann::json json = parse_json(sections.text("model"));
    std::set<std::string> used{"model"};
    Model model;
    LoadingArchive archive(sections, JsonPlace(json), used);
    describe(archive, model);
    for (const auto& [name, section] : sections.sections()) {
      if (!used.contains(name))
        throw Error(fmt::format("section '{}' is not known here: train it again", printable(name)));
    }
    check(model);
    return model;
  });
}

std::vector<FaceModelSection> list_face_model(const std::filesystem::path& path) {
  return naming(path, [&] {
    const SectionReader sections(path, model_format);
    std::vector<FaceModelSection> lines;
    for (const auto& [name, section] : sections.sections()) {
      const std::size_t element = section.type == SectionType::bytes ? 1 : section.type == SectionType::uint16 ? 2 : 4;
      lines.push_back(
          {name, std::string(type_name(section.type)), section.bytes.size() / element, section.bytes.size()});
    }
    return lines;
  });
}

}  // namespace kinema::io
