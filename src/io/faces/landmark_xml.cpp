// dlib's XML: <dataset><images><image file='a.jpg'><box top left width height><part name='00' x y/>...</box></image>.
#include "io/faces/landmark_file.h"
#include "io/files/input_file.h"
#include "io/files/text.h"
#include "kinema/error.h"

#include <fmt/format.h>
#include <pugixml.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>

namespace kinema::io {
namespace {

double number_of(const pugi::xml_node& node, const char* name, const std::string& place) {
  const pugi::xml_attribute attribute = node.attribute(name);
  if (!attribute) throw Error(fmt::format("{}: <{}> has no '{}'", place, printable(node.name()), name));
  const auto number = number_in(attribute.value());
  if (!number) {
    throw Error(fmt::format("{}: {} is '{}', where a number is needed", place, name, printable(attribute.value())));
  }
  return *number;
}

// The parts of a box in the order of their names: numbers by value, words alphabetically.
std::vector<float> parts_of(const pugi::xml_node& box, double first_pixel, const std::string& place) {
  struct Part {
    double number;
    std::string name;
    float x, y;
  };
  std::vector<Part> parts;
  for (const pugi::xml_node& part : box.children("part")) {
    const std::string name = part.attribute("name").value();
    if (parts.size() >= most_landmarks) throw Error(fmt::format("{}: has more than {} parts", place, most_landmarks));
    // (the name nan is a word: as a number it could not be ordered)
    const double number = number_in(name).value_or(0);
    parts.push_back({std::isnan(number) ? 0 : number, name,
                     coordinate(number_of(part, "x", place) - first_pixel, place + ": x"),
                     coordinate(number_of(part, "y", place) - first_pixel, place + ": y")});
  }
  std::stable_sort(parts.begin(), parts.end(), [](const Part& a, const Part& b) {
    return a.number != b.number ? a.number < b.number : a.name < b.name;
  });
  std::vector<float> landmarks;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0 && parts[i].name == parts[i - 1].name) {
      throw Error(fmt::format("{}: the part '{}' comes twice in one box", place, printable(parts[i].name)));
    }
    landmarks.push_back(parts[i].x);
    landmarks.push_back(parts[i].y);
  }
  return landmarks;
}

}  // namespace

std::vector<LandmarkedFace> read_dlib_xml(std::string_view bytes, double first_pixel) {
  pugi::xml_document document;
  // the parser reads no DTD and knows only the five entities of XML: expansion attacks are impossible
  const pugi::xml_parse_result result = document.load_buffer(bytes.data(), bytes.size());
  if (!result) {
    throw Error(fmt::format("line {}: is not XML ({})",
                            line_of(bytes, static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, result.offset))),
                            one_line(result.description())));
  }
  const pugi::xml_node images = document.child("dataset").child("images");
  if (!images) throw Error("has no <dataset> with <images> in it: is it a file of dlib's imglab?");
  std::vector<LandmarkedFace> faces;
  std::size_t number = 0;
  for (const pugi::xml_node& image : images.children("image")) {
    ++number;
    const std::string place = fmt::format("image {}", number);
    const std::string file = image.attribute("file").value();
    if (file.empty()) throw Error(fmt::format("{}: has no 'file'", place));
    for (const pugi::xml_node& box : image.children("box")) {
      if (std::strcmp(box.attribute("ignore").value(), "1") == 0) continue;
      LandmarkedFace face;
      face.image = file;
      face.place = place;
      face.landmarks = parts_of(box, first_pixel, place);
      face.box = {{number_of(box, "left", place) - first_pixel, number_of(box, "top", place) - first_pixel,
                   number_of(box, "width", place), number_of(box, "height", place)}};
      if (!face.landmarks.empty()) faces.push_back(std::move(face));
    }
  }
  if (faces.empty()) throw Error(fmt::format("holds {} images and no box with parts", number));
  return faces;
}

}  // namespace kinema::io
