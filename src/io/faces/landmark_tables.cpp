// Landmarks of many images in one file: COCO's JSON and CSV.
#include "io/faces/landmark_file.h"
#include "io/files/input_file.h"
#include "io/files/json_place.h"
#include "io/files/text.h"
#include "kinema/error.h"

#include <fmt/format.h>

#include <cmath>
#include <map>

namespace kinema::io {
namespace {

constexpr std::size_t most_faces = 10'000'000;

// An identifier is a number or text in such files.
std::string identifier(const JsonPlace& place) {
  return place.is_text() ? fmt::format("t{}", place.text()) : fmt::format("n{}", place.whole_number());
}

// Triples x y v; v = 0 means that the point was not set.
std::vector<float> keypoints(const JsonPlace& place, double first_pixel) {
  const std::vector<JsonPlace> numbers = place.elements(3 * most_landmarks);
  if (numbers.size() % 3 != 0) {
    place.fail(fmt::format("has {} numbers; they come in threes, x y v", numbers.size()));
  }
  std::vector<float> landmarks;
  for (std::size_t i = 0; i < numbers.size(); i += 3) {
    if (numbers[i + 2].number() == 0) return {};
    for (std::size_t axis = 0; axis < 2; ++axis) {
      const double value = numbers[i + axis].number() - first_pixel;
      if (std::abs(value) > 1e6) numbers[i + axis].fail("is not a place in or near a picture");
      landmarks.push_back(static_cast<float>(value));
    }
  }
  return landmarks;
}

// A cell of CSV, without quotes.
std::vector<std::string> cells_of(std::string_view line, std::size_t number) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quoted && c == '"' && i + 1 < line.size() && line[i + 1] == '"') {
      cells.back() += line[++i];
    } else if (c == '"') {
      quoted = !quoted;
    } else if (!quoted && (c == ',' || c == ';' || c == '\t')) {
      cells.emplace_back();
    } else {
      cells.back() += c;
    }
  }
  if (quoted) throw Error(fmt::format("line {}: a quote has no end", number));
  for (std::string& cell : cells) {
    cell.erase(0, std::min(cell.find_first_not_of(' '), cell.size()));
    while (!cell.empty() && cell.back() == ' ') cell.pop_back();
  }
  return cells;
}

// The columns by their header: "file" (or image, name), then x0 y0 x1 y1 ... in any order.
struct Columns {
  std::size_t file = 0;
  std::vector<std::size_t> x, y;
};

Columns columns_of(const std::vector<std::string>& names) {
  std::map<std::string, std::size_t> at;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!at.emplace(names[i], i).second && !names[i].empty()) {
      throw Error(fmt::format("line 1: the column '{}' comes twice", printable(names[i])));
    }
  }
  Columns columns;
  bool named = false;
  for (const char* word : {"file", "image", "name", "filename"}) {
    if (const auto found = at.find(word); !named && found != at.end()) {
      columns.file = found->second;
      named = true;
    }
  }
  if (!named)
    throw Error(
        "line 1: has no column 'file': the first line names the columns, file,x0,y0,x1,y1,... or file,x1,y1,...");
  const std::size_t first = at.contains("x0") || !at.contains("x1") ? 0 : 1;
  for (std::size_t i = first; i <= most_landmarks + first; ++i) {
    const auto x = at.find(fmt::format("x{}", i)), y = at.find(fmt::format("y{}", i));
    if (x == at.end() && y == at.end()) break;
    if (x == at.end() || y == at.end()) {
      throw Error(fmt::format("line 1: of x{0} and y{0} there is only one", i));
    }
    columns.x.push_back(x->second);
    columns.y.push_back(y->second);
  }
  if (columns.x.empty()) throw Error("line 1: has no columns x0 and y0, or x1 and y1, of the first landmark");
  return columns;
}

}  // namespace

std::vector<LandmarkedFace> read_coco_json(std::string_view bytes, double first_pixel) {
  const nlohmann::json document = parse_json(bytes);
  const JsonPlace root(document);
  std::map<std::string, std::string> names;
  for (const JsonPlace& image : root.member("images").elements(most_faces)) {
    names[identifier(image.member("id"))] = image.member("file_name").text();
  }
  std::vector<LandmarkedFace> faces;
  std::size_t number = 0;
  for (const JsonPlace& annotation : root.member("annotations").elements(most_faces)) {
    ++number;
    const auto points = annotation.find("keypoints");
    if (!points) continue;
    LandmarkedFace face;
    const JsonPlace id = annotation.member("image_id");
    const auto name = names.find(identifier(id));
    if (name == names.end()) id.fail("is the id of no image in \"images\"");
    face.image = name->second;
    face.place = fmt::format("annotation {}", number);
    face.landmarks = keypoints(*points, first_pixel);
    if (const auto box = annotation.find("bbox")) {
      const std::vector<JsonPlace> sides = box->elements(4);
      if (sides.size() != 4) box->fail("has not the four numbers x y width height");
      face.box = {
          {sides[0].number() - first_pixel, sides[1].number() - first_pixel, sides[2].number(), sides[3].number()}};
    }
    if (!face.landmarks.empty()) faces.push_back(std::move(face));
  }
  if (faces.empty()) throw Error("holds no annotation whose \"keypoints\" are all set (v above 0)");
  return faces;
}

std::vector<LandmarkedFace> read_landmark_csv(std::string_view bytes, double first_pixel) {
  TextReader text(bytes);
  const auto first = text.line();
  if (!first) throw Error("is empty");
  const std::vector<std::string> names = cells_of(*first, 1);
  const Columns columns = columns_of(names);
  std::vector<LandmarkedFace> faces;
  while (const auto line = text.line()) {
    if (line->find_first_not_of(" \t,;") == std::string_view::npos) continue;
    const std::vector<std::string> cells = cells_of(*line, text.line_number());
    if (cells.size() != names.size()) {
      throw Error(fmt::format("line {}: has {} columns where the first line names {}", text.line_number(), cells.size(),
                              names.size()));
    }
    LandmarkedFace face;
    face.image = cells[columns.file];
    face.place = fmt::format("line {}", text.line_number());
    if (face.image.empty()) throw Error(fmt::format("{}: names no file", face.place));
    for (std::size_t i = 0; i < columns.x.size(); ++i) {
      for (const auto& [axis, column] : {std::pair{'x', columns.x[i]}, {'y', columns.y[i]}}) {
        const auto number = number_in(cells[column]);
        if (!number) {
          throw Error(
              fmt::format("{}: {}{} is '{}', where a number is needed", face.place, axis, i, printable(cells[column])));
        }
        face.landmarks.push_back(coordinate(*number - first_pixel, fmt::format("{}: {}{}", face.place, axis, i)));
      }
    }
    faces.push_back(std::move(face));
  }
  if (faces.empty()) throw Error("holds no landmarks below its first line");
  return faces;
}

}  // namespace kinema::io
