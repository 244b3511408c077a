#include "io/faces/face_model_file.h"

#include "io/files/input_file.h"
#include "io/files/json_place.h"
#include "io/files/output_file.h"
#include "io/files/section_file.h"
#include "kinema/error.h"
#include "kinema/face_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <limits>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kinema::io {
namespace {

/// A matrix in 16 bits: the elements of a row are whole multiples of its step.
struct SmallMatrix {
  std::vector<std::uint16_t> values;  ///< plus `zero`
  std::vector<float> steps;           ///< one per row

  static constexpr int zero = 32768;
};

inline SmallMatrix small_matrix(const face::Matrix& matrix) {
  SmallMatrix made;
  for (std::size_t i = 0; i < matrix.rows; ++i) {
    float most = 0;
    for (const float value : matrix.row(i)) most = std::max(most, std::abs(value));
    const float step = most > 0 ? most / 32767 : 1;
    made.steps.push_back(step);
    for (const float value : matrix.row(i))
      made.values.push_back(static_cast<std::uint16_t>(SmallMatrix::zero + std::lround(value / step)));
  }
  return made;
}

/// The section beside a small matrix that holds its steps.
inline std::string steps_of(const std::string& section) { return section + "/steps"; }

template <class Enum>
struct Word {
  Enum value;
  std::string_view word;
};

// The model is described once, below, for two archives with the same members: one writes the fields, the other reads
// them.
class SavingArchive {
public:
  /// `small`: large matrices are written in 16 bits, kept there until the sections are written; null: as they are.
  SavingArchive(SectionWriter& sections, nlohmann::ordered_json& json, std::deque<SmallMatrix>* small,
                std::string prefix = "")
      : sections_(&sections), json_(&json), small_(small), prefix_(std::move(prefix)) {}

  void value(const char* name, bool& value) { (*json_)[name] = value; }
  void value(const char* name, std::uint32_t& value) { (*json_)[name] = value; }
  void value(const char* name, int& value) { (*json_)[name] = value; }
  void value(const char* name, float& value) { (*json_)[name] = static_cast<double>(value); }
  void value(const char* name, std::string& value) { (*json_)[name] = value; }

  template <class Enum, std::size_t n>
  void choice(const char* name, Enum& value, const std::array<Word<Enum>, n>& words) {
    for (const auto& word : words) {
      if (word.value == value) (*json_)[name] = word.word;
    }
  }

  template <class T>
  void array(const char* name, face::Array<T>& values) {
    if (!values.empty()) sections_->add(prefix_ + name, std::span<const T>(values.data(), values.size()));
  }
  void matrix(const char* name, face::Matrix& matrix) {
    (*json_)[name] = {matrix.rows, matrix.columns};
    if (small_ == nullptr || matrix.columns < least_small) return array(name, matrix.values);
    const SmallMatrix& kept = small_->emplace_back(small_matrix(matrix));
    sections_->add(prefix_ + name, std::span<const std::uint16_t>(kept.values));
    sections_->add(steps_of(prefix_ + name), std::span<const float>(kept.steps));
  }

  template <class Describe>
  void object(const char* name, Describe describe) {
    SavingArchive inner(*sections_, (*json_)[name] = nlohmann::ordered_json::object(), small_, prefix_ + name + "/");
    describe(inner);
  }
  template <class T, class Describe>
  void list(const char* name, std::vector<T>& values, std::size_t, Describe describe) {
    nlohmann::ordered_json& all = (*json_)[name] = nlohmann::ordered_json::array();
    for (std::size_t i = 0; i < values.size(); ++i) {
      nlohmann::ordered_json one = nlohmann::ordered_json::object();
      SavingArchive inner(*sections_, one, small_, fmt::format("{}{}{}/", prefix_, name, i));
      describe(inner, values[i]);
      all.push_back(std::move(one));
    }
  }
  void indices(const char* name, std::vector<int>& values) { (*json_)[name] = values; }
  template <class T>
  void triangles(const char* name, std::vector<std::array<T, 3>>& values) {
    (*json_)[name] = values;
  }

private:
  static constexpr std::size_t least_small = 1024;  // shorter rows are not worth it

  SectionWriter* sections_;
  nlohmann::ordered_json* json_;
  std::deque<SmallMatrix>* small_;
  std::string prefix_;
};

class LoadingArchive {
public:
  LoadingArchive(const SectionReader& sections, const JsonPlace& json, std::set<std::string>& used,
                 std::string prefix = "")
      : sections_(&sections), json_(json), used_(&used), prefix_(std::move(prefix)) {}

  void value(const char* name, bool& value) {
    const JsonPlace place = json_.member(name);
    if (!place.value().is_boolean()) place.fail("is neither true nor false");
    value = place.value().get<bool>();
  }
  void value(const char* name, std::uint32_t& value) { value = whole<std::uint32_t>(json_.member(name)); }
  void value(const char* name, int& value) { value = whole<int>(json_.member(name)); }
  void value(const char* name, float& value) {
    const JsonPlace place = json_.member(name);
    const double number = place.number();
    if (!(std::abs(number) <= static_cast<double>(std::numeric_limits<float>::max()))) place.fail("is out of range");
    value = static_cast<float>(number);
  }
  void value(const char* name, std::string& value) { value = json_.member(name).text(); }

  template <class Enum, std::size_t n>
  void choice(const char* name, Enum& value, const std::array<Word<Enum>, n>& words) {
    const JsonPlace place = json_.member(name);
    const std::string text = place.text();
    for (const auto& word : words) {
      if (word.word == text) {
        value = word.value;
        return;
      }
    }
    place.fail("is not a word known here");
  }

  template <class T>
  void array(const char* name, face::Array<T>& values) {
    const std::string section = prefix_ + name;
    if (!sections_->has(section)) return;
    used_->insert(section);
    values = face::Array<T>(numbers<T>(section), sections_->owner());
  }
  void matrix(const char* name, face::Matrix& matrix) {
    const JsonPlace place = json_.member(name);
    const std::vector<JsonPlace> sides = place.elements(2);
    if (sides.size() != 2) place.fail("has not two sizes");
    matrix.rows = whole<std::uint32_t>(sides[0]);
    matrix.columns = whole<std::uint32_t>(sides[1]);
    if (sections_->is_uint16(prefix_ + name))
      expand(prefix_ + name, matrix);
    else
      array(name, matrix.values);
    if (matrix.rows * matrix.columns != matrix.values.size()) {
      place.fail(fmt::format("is {} x {} and holds {} numbers", matrix.rows, matrix.columns, matrix.values.size()));
    }
  }

  template <class Describe>
  void object(const char* name, Describe describe) {
    LoadingArchive inner(*sections_, json_.member(name), *used_, prefix_ + name + "/");
    describe(inner);
  }
  template <class T, class Describe>
  void list(const char* name, std::vector<T>& values, std::size_t most, Describe describe) {
    const std::vector<JsonPlace> places = json_.member(name).elements(most);
    values.resize(places.size());
    for (std::size_t i = 0; i < places.size(); ++i) {
      LoadingArchive inner(*sections_, places[i], *used_, fmt::format("{}{}{}/", prefix_, name, i));
      describe(inner, values[i]);
    }
  }
  void indices(const char* name, std::vector<int>& values) {
    for (const JsonPlace& place : json_.member(name).elements(most_indices)) values.push_back(whole<int>(place));
  }
  template <class T>
  void triangles(const char* name, std::vector<std::array<T, 3>>& values) {
    for (const JsonPlace& place : json_.member(name).elements(most_indices)) {
      const std::vector<JsonPlace> corners = place.elements(3);
      if (corners.size() != 3) place.fail("is not a triangle of three corners");
      values.push_back({whole<T>(corners[0]), whole<T>(corners[1]), whole<T>(corners[2])});
    }
  }

private:
  static constexpr std::size_t most_indices = 65536;

  // The float values of a small matrix; as many as its sections hold.
  void expand(const std::string& section, face::Matrix& matrix) {
    const std::span<const std::uint16_t> values = sections_->uint16(section);
    const std::span<const float> steps = sections_->float32(steps_of(section));
    used_->insert(section);
    used_->insert(steps_of(section));
    if (steps.size() != matrix.rows || matrix.rows * matrix.columns != values.size())
      throw Error(fmt::format("section '{}' holds {} numbers and {} steps", section, values.size(), steps.size()));
    std::vector<float> made;
    made.reserve(values.size());
    for (std::size_t i = 0; i < values.size(); ++i)
      made.push_back(steps[i / matrix.columns] * static_cast<float>(values[i] - SmallMatrix::zero));
    matrix.values = std::move(made);
  }

  template <class T>
  static T whole(const JsonPlace& place) {
    const std::int64_t number = place.whole_number();
    if (number < static_cast<std::int64_t>(std::numeric_limits<T>::min()) ||
        number > static_cast<std::int64_t>(std::numeric_limits<T>::max())) {
      place.fail("is out of range");
    }
    return static_cast<T>(number);
  }

  template <class T>
  std::span<const T> numbers(const std::string& section) const {
    if constexpr (std::is_same_v<T, float>) {
      return sections_->float32(section);
    } else if constexpr (std::is_same_v<T, std::uint32_t>) {
      return sections_->uint32(section);
    } else {
      return sections_->uint16(section);
    }
  }

  const SectionReader* sections_;
  JsonPlace json_;
  std::set<std::string>* used_;
  std::string prefix_;
};

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
