#include "io/cameras/camera_file.h"

#include "io/files/input_file.h"
#include "io/files/json_place.h"
#include "io/files/output_file.h"
#include "io/pictures/image_file.h"
#include "kinema/error.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <optional>

namespace kinema::io {
namespace {

using Json = nlohmann::ordered_json;

// Larger than any sensor's.
constexpr int largest_side = 16384;
constexpr std::size_t largest_camera_file = std::size_t{1} << 20;

// The fields of one file, each requested by name and named in errors.
class JsonFields {
public:
  explicit JsonFields(const std::filesystem::path& path) : json_(parse_json(read_bytes(path, largest_camera_file))) {
    if (!json_.is_object()) throw Error(R"(is not a JSON object: write {"width": 640, "height": 480, ...})");
  }

  bool has(const char* name) const { return json_.contains(name); }

  std::optional<double> number(const char* name) const {
    if (!has(name)) return std::nullopt;
    const nlohmann::json& value = json_.at(name);
    if (!value.is_number()) {
      throw Error(fmt::format("\"{}\" is {}: it must be a number", name, printable(value.dump(-1, ' ', true))));
    }
    const double number = value.get<double>();
    if (!std::isfinite(number)) throw Error(fmt::format("\"{}\" is not finite", name));
    return number;
  }

  double needed(const char* name, const char* mend) const {
    const std::optional<double> value = number(name);
    if (!value) throw Error(fmt::format("has no \"{}\": add {}", name, mend));
    return *value;
  }

  double positive(const char* name, const char* mend, double most) const {
    const double value = needed(name, mend);
    if (!(value > 0) || value > most) {
      throw Error(fmt::format("\"{}\" is {}: it must be above 0 and at most {}", name, value, most));
    }
    return value;
  }

  int side(const char* name) const {
    const double value = needed(name, "the size of the pictures in pixels");
    if (value != std::floor(value) || value < 1 || value > largest_side) {
      throw Error(fmt::format("\"{}\" is {}: it must be a whole number from 1 to {}", name, value, largest_side));
    }
    return static_cast<int>(value);
  }

  std::vector<double> distortion() const {
    if (!has("distortion") || json_.at("distortion").is_null()) return {};
    const nlohmann::json& list = json_.at("distortion");
    if (!list.is_array()) throw Error("\"distortion\" is not a list: write [k1, k2, p1, p2, k3] as OpenCV gives it");
    const std::size_t count = list.size();
    if (count != 0 && count != 4 && count != 5 && count != 8 && count != 12 && count != 14) {
      throw Error(fmt::format("\"distortion\" has {} numbers: OpenCV's models have 4, 5, 8, 12 or 14", count));
    }
    std::vector<double> numbers;
    for (const nlohmann::json& value : list) {
      if (!value.is_number() || !std::isfinite(value.get<double>())) {
        throw Error("\"distortion\" holds something that is not a finite number");
      }
      numbers.push_back(value.get<double>());
    }
    return numbers;
  }

private:
  nlohmann::json json_;
};

CameraFile read_fields(const JsonFields& fields, CameraUse use, const CameraFile& instead) {
  CameraFile file;
  bool any = use != CameraUse::clouds;
  for (const char* name : {"width", "height", "fx", "fy", "cx", "cy"}) any = any || fields.has(name);
  if (any) {
    const char* pixels = "the intrinsics in pixels";
    file.camera = {fields.side("width"),        fields.side("height"),       fields.needed("fx", pixels),
                   fields.needed("fy", pixels), fields.needed("cx", pixels), fields.needed("cy", pixels)};
    check_camera(file.camera, "");
  }
  file.fps = instead.fps;
  if (!(file.fps > 0)) file.fps = fields.positive("fps", "the frames per second, such as \"fps\": 30", 1e6);
  file.depth_scale = instead.depth_scale;
  if (!(file.depth_scale > 0) && (use == CameraUse::depth || fields.has("depth_scale"))) {
    file.depth_scale =
        fields.positive("depth_scale", "the metres per unit, such as \"depth_scale\": 0.001 for millimetres", 1);
  }
  file.baseline = instead.baseline;
  if (!(file.baseline > 0) && (use == CameraUse::stereo || fields.has("baseline"))) {
    file.baseline = fields.positive("baseline", "the metres between the two cameras, such as \"baseline\": 0.12", 10);
  }
  file.distortion = fields.distortion();
  return file;
}

}  // namespace

void check_camera(const Camera& camera, const std::string& where) {
  const auto refuse = [&](const std::string& what) { throw Error(where + what); };
  for (const auto& [name, value] : {std::pair{"width", camera.width}, {"height", camera.height}}) {
    if (value < 1 || value > largest_side) {
      refuse(fmt::format("\"{}\" is {}: it must be a whole number from 1 to {}", name, value, largest_side));
    }
  }
  check_pixels(static_cast<std::uint64_t>(camera.width), static_cast<std::uint64_t>(camera.height), most_frame_pixels,
               where);
  for (const auto& [name, value] : {std::pair{"fx", camera.fx}, {"fy", camera.fy}}) {
    if (!(value > 0) || !(value < 1e7)) {
      refuse(fmt::format("\"{}\" is {}: a focal length in pixels is above 0 (and about the picture's width)", name,
                         value));
    }
  }
  for (const auto& [name, value, side] :
       {std::tuple{"cx", camera.cx, camera.width}, {"cy", camera.cy, camera.height}}) {
    if (!(std::abs(value) <= 10.0 * side)) {
      refuse(fmt::format("\"{}\" is {}: the centre in pixels is about half of {}", name, value, side));
    }
  }
}

CameraFile read_camera_json(const std::filesystem::path& path, CameraUse use, const CameraFile& instead) {
  return naming(path, [&] { return read_fields(JsonFields(path), use, instead); });
}

void write_camera_json(const std::filesystem::path& path, const CameraFile& file) {
  Json json;
  if (file.camera.width != 0) {
    check_camera(file.camera, path.string() + ": ");
    json = {{"width", file.camera.width}, {"height", file.camera.height}, {"fx", file.camera.fx},
            {"fy", file.camera.fy},       {"cx", file.camera.cx},         {"cy", file.camera.cy}};
  }
  json["fps"] = file.fps;
  if (file.depth_scale > 0) json["depth_scale"] = file.depth_scale;
  if (file.baseline > 0) json["baseline"] = file.baseline;
  if (!file.distortion.empty()) json["distortion"] = file.distortion;
  write_file(path, json.dump(2) + "\n");
}

}  // namespace kinema::io
