#include "io/faces/filter_json.h"

#include "io/files/input_file.h"
#include "io/files/json_place.h"
#include "io/files/output_file.h"
#include "kinema/error.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <array>
#include <cmath>
#include <limits>

namespace kinema::io {
namespace {

using head::SkinModel;

constexpr std::size_t largest_filter = std::size_t{1} << 24;

// A histogram's degrees and a patch are bytes; two hexadecimal hex_digits each keep them on a line that editors can open.
constexpr std::string_view hex_digits = "0123456789abcdef";

std::vector<std::uint8_t> bytes_at(const JsonPlace& place, std::size_t count) {
  const std::string text = place.text();
  if (text.size() != 2 * count) {
    place.fail(fmt::format("has {} letters where {} belong: two for each byte", text.size(), 2 * count));
  }
  std::vector<std::uint8_t> bytes;
  bytes.reserve(count);
  for (std::size_t i = 0; i < text.size(); i += 2) {
    const std::size_t high = hex_digits.find(text[i]), low = hex_digits.find(text[i + 1]);
    if (high == std::string_view::npos || low == std::string_view::npos) {
      place.fail(fmt::format("has something else than 0-9 and a-f at letter {}", i));
    }
    bytes.push_back(static_cast<std::uint8_t>(16 * high + low));
  }
  return bytes;
}

std::string letters_of(const std::vector<std::uint8_t>& bytes) {
  std::string text;
  for (const std::uint8_t byte : bytes) {
    text += hex_digits[byte >> 4];
    text += hex_digits[byte & 15];
  }
  return text;
}

template <std::size_t n>
std::array<double, n> numbers(const JsonPlace& place, const char* meaning) {
  if (!place.is_array() || place.value().size() != n) {
    place.fail(fmt::format("is not a list of {} numbers: give {}", n, meaning));
  }
  std::array<double, n> values{};
  const std::vector<JsonPlace> elements = place.elements(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = elements[i].number();
  return values;
}

head::Ellipse ellipse(const JsonPlace& root) {
  return {numbers<2>(root.member("mean"), "the mean of the two"),
          numbers<3>(root.member("covariance"), "the covariance: of the first, of both, of the second")};
}

head::Histogram histogram(const JsonPlace& root) {
  head::Histogram model;
  const JsonPlace bins = root.member("bins");
  const std::int64_t count = bins.whole_number();
  if (count < 2 || count > 64) bins.fail(fmt::format("is {}: give 2 to 64 cells a channel", count));
  model.bins = static_cast<int>(count);
  model.degrees = bytes_at(root.member("degrees"), static_cast<std::size_t>(count * count * count));
  return model;
}

SkinModel model_at(const JsonPlace& root) {
  const JsonPlace place = root.member("classifier");
  const std::string word = place.text();
  if (word == "plane") {
    const auto f = numbers<4>(root.member("f"), "fR, fG, fB and fD");
    return head::SkinPlane{f[0], f[1], f[2], f[3]};
  }
  if (word == head::RgGaussian::name) return head::RgGaussian{ellipse(root), root.member("darkest").number()};
  if (word == head::XyzGaussian::name) return head::XyzGaussian{ellipse(root), root.member("darkest").number()};
  if (word == head::CbCrGaussian::name) return head::CbCrGaussian{ellipse(root), root.member("darkest").number()};
  if (word == head::TslGaussian::name) return head::TslGaussian{ellipse(root), root.member("darkest").number()};
  if (word == head::HsvBox::name) {
    return head::HsvBox{numbers<2>(root.member("hue"), "its range in degrees"),
                        numbers<2>(root.member("saturation"), "its range, 0 to 1"),
                        numbers<2>(root.member("value"), "its range, 0 to 1"),
                        numbers<3>(root.member("soft"), "the ramps of hue, saturation and value")};
  }
  if (word == head::Histogram::name) return histogram(root);
  std::string known;
  for (std::string_view name : head::skin_model_names()) known += fmt::format("{}{}", known.empty() ? "" : ", ", name);
  place.fail(fmt::format("is '{}': it is one of {}", printable(word), known));
}

std::optional<double> optional_number(const JsonPlace& object, const char* name, double least, double most) {
  const auto place = object.find(name);
  if (!place || place->is_null()) return std::nullopt;
  const double value = place->number();
  if (!(value > least && value < most))
    place->fail(fmt::format("is {}: it lies between {} and {}", value, least, most));
  return value;
}

std::size_t side(const JsonPlace& place) {
  const std::int64_t value = place.whole_number();
  if (value < 1 || value > 65536) place.fail(fmt::format("is {}: give pixels, 1 to 65536", value));
  return static_cast<std::size_t>(value);
}

head::HeadReference reference_at(const JsonPlace& place) {
  place.only(
      {"width", "height", "oval", "area", "frame_area", "anchor", "contrast", "patch", "distance", "field_of_view"});
  head::HeadReference reference;
  reference.width = side(place.member("width"));
  reference.height = side(place.member("height"));
  const JsonPlace oval = place.member("oval");
  const auto values = numbers<4>(oval, "cx, cy, rx and ry in pixels");
  reference.oval = {values[0], values[1], values[2], values[3]};
  const auto width = static_cast<double>(reference.width), height = static_cast<double>(reference.height);
  const bool sized = values[2] >= 1 && values[3] >= 1 && values[2] <= 4 * width && values[3] <= 4 * height;
  if (!sized || std::abs(values[0]) > 4 * width || std::abs(values[1]) > 4 * height) {
    oval.fail("is not an oval in such a frame: give cx, cy, rx and ry in pixels");
  }
  const JsonPlace area = place.member("area");
  reference.area = area.number();
  if (!(reference.area > 0 && reference.area <= 1)) {
    area.fail(fmt::format("is {}: it is the share of the frame that the head covers", reference.area));
  }
  reference.frame_area = optional_number(place, "frame_area", 0, 1.0001).value_or(0);
  if (const auto anchor = place.find("anchor")) {
    const auto [x, y, size] = numbers<3>(*anchor, "how the head lies in its window: shift x and y in radii, and size");
    if (std::abs(x) > 2 || std::abs(y) > 2 || !(size > 0.1 && size < 10))
      anchor->fail("makes no sense: calibrate again");
    reference.anchor = {x, y, size};
  }
  reference.contrast = optional_number(place, "contrast", -1e-9, 1.0001).value_or(0);
  if (const auto patch = place.find("patch")) {
    reference.patch = bytes_at(*patch, head::head_patch_side * head::head_patch_side);
  }
  reference.distance = optional_number(place, "distance", 0.01, 100);
  reference.field_of_view = optional_number(place, "field_of_view", 0.01, 3.1);
  return reference;
}

head::Calibration calibration_at(const JsonPlace& root) {
  if (!root.is_object()) root.fail(R"(is not a filter: write {"classifier": "plane", "f": [fR, fG, fB, fD]})");
  head::Calibration calibration;
  calibration.filter.model = model_at(root);
  try {
    head::check(calibration.filter.model);
  } catch (const Error& error) {
    root.fail(error.what());
  }
  if (const auto score = root.find("score"); score && !score->is_null()) calibration.filter.score = score->number();
  if (const auto camera = root.find("camera"); camera && !camera->is_null()) calibration.filter.camera = camera->text();
  if (const auto light = root.find("light"); light && !light->is_null()) calibration.filter.light = light->text();
  if (const auto head = root.find("head"); head && !head->is_null()) calibration.head = reference_at(*head);
  return calibration;
}

using Json = nlohmann::ordered_json;

void add_ellipse(Json& json, const head::Ellipse& ellipse, double darkest) {
  json["mean"] = ellipse.mean;
  json["covariance"] = ellipse.covariance;
  json["darkest"] = darkest;
}

struct Writer {
  Json& json;

  void operator()(const head::SkinPlane& plane) const { json["f"] = {plane.r, plane.g, plane.b, plane.d}; }
  void operator()(const head::RgGaussian& model) const { add_ellipse(json, model.rg, model.darkest); }
  void operator()(const head::XyzGaussian& model) const { add_ellipse(json, model.xy, model.darkest); }
  void operator()(const head::CbCrGaussian& model) const { add_ellipse(json, model.cbcr, model.darkest); }
  void operator()(const head::TslGaussian& model) const { add_ellipse(json, model.ts, model.darkest); }
  void operator()(const head::HsvBox& model) const {
    json["hue"] = model.hue;
    json["saturation"] = model.saturation;
    json["value"] = model.value;
    json["soft"] = model.soft;
  }
  void operator()(const head::Histogram& model) const {
    json["bins"] = model.bins;
    json["degrees"] = letters_of(model.degrees);
  }
};

}  // namespace

head::Calibration parse_filter(std::string_view text) {
  const nlohmann::json document = parse_json(text);
  return calibration_at(JsonPlace(document));
}

head::Calibration read_filter(const std::filesystem::path& path) {
  return naming(path, [&] { return parse_filter(read_bytes(path, largest_filter)); });
}

std::string filter_json(const head::Calibration& calibration) {
  Json json;
  json["classifier"] = head::name(calibration.filter.model);
  std::visit(Writer{json}, calibration.filter.model);
  json["score"] = calibration.filter.score;
  json["camera"] = calibration.filter.camera;
  json["light"] = calibration.filter.light;
  if (calibration.head) {
    const head::HeadReference& head = *calibration.head;
    Json& out = json["head"];
    out["width"] = head.width;
    out["height"] = head.height;
    out["oval"] = {head.oval.cx, head.oval.cy, head.oval.rx, head.oval.ry};
    out["area"] = head.area;
    out["frame_area"] = head.frame_area;
    out["anchor"] = {head.anchor.shift_x, head.anchor.shift_y, head.anchor.size};
    out["contrast"] = head.contrast;
    if (!head.patch.empty()) out["patch"] = letters_of(head.patch);
    if (head.distance) out["distance"] = *head.distance;
    if (head.field_of_view) out["field_of_view"] = *head.field_of_view;
  }
  // a camera's or file's name may not be UTF-8
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

void write_filter(const std::filesystem::path& path, const head::Calibration& calibration) {
  write_file(path, filter_json(calibration));
}

}  // namespace kinema::io
