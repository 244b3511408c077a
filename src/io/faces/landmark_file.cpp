#include "io/faces/landmark_file.h"

#include "io/files/input_file.h"
#include "io/files/json_place.h"
#include "io/files/output_file.h"
#include "io/files/text.h"
#include "kinema/error.h"

#include <fmt/format.h>

#include <cmath>
#include <map>

namespace kinema::io {

float coordinate(double value, std::string_view what) {
  constexpr double farthest = 1e6;  // no image is that large, and float resolves a tenth of a pixel up to here
  if (!(std::abs(value) <= farthest)) {
    throw Error(fmt::format("{} is {}, which is not a place in or near a picture: mend it", what, value));
  }
  return static_cast<float>(value);
}

bool holds_one_face(const std::filesystem::path& path) {
  const std::string ending = extension_of(path);
  return ending == ".pts" || ending == ".asf";
}

bool holds_many_faces(const std::filesystem::path& path) {
  const std::string ending = extension_of(path);
  return ending == ".xml" || ending == ".json" || ending == ".csv";
}

bool looks_like_landmarks(const std::filesystem::path& path) {
  const std::string start = read_beginning(path, 65536);
  const std::string ending = extension_of(path);
  if (ending == ".xml") return start.find("<dataset") != std::string::npos;
  if (ending == ".json") {
    return start.find("\"annotations\"") != std::string::npos || start.find("\"keypoints\"") != std::string::npos ||
           start.find("\"images\"") != std::string::npos;
  }
  const std::string first = start.substr(0, start.find('\n'));
  const auto names = [&](const char* column) { return first.find(column) != std::string::npos; };
  return (names("x0") && names("y0")) || (names("x1") && names("y1"));
}

std::vector<LandmarkedFace> read_landmarks(const std::filesystem::path& path, const LandmarkSettings& settings) {
  return naming(path, [&]() -> std::vector<LandmarkedFace> {
    const std::string ending = extension_of(path);
    if (!holds_one_face(path) && !holds_many_faces(path)) {
      throw Error("is not a file of landmarks by its name: they end in .pts, .asf, .xml (dlib), .json (COCO) or .csv");
    }
    const std::string bytes = read_bytes(path, std::size_t{1} << 30);
    const double others = settings.first_pixel.value_or(0);
    if (ending == ".pts") return {read_pts(bytes, settings.first_pixel.value_or(1))};
    if (ending == ".asf") return {read_asf(bytes)};
    if (ending == ".xml") return read_dlib_xml(bytes, others);
    if (ending == ".json") return read_coco_json(bytes, others);
    return read_landmark_csv(bytes, others);
  });
}

namespace {

// "x y" on a line; both numbers finite.
void add_pair(std::vector<float>& landmarks, std::string_view line, std::size_t number, double first_pixel) {
  double pair[2] = {0, 0};
  for (double& value : pair) {
    const std::string_view word = take_word(line, " \t\r,");
    const auto found = number_in(word);
    if (!found) {
      throw Error(
          fmt::format("line {}: '{}' where a number is needed: each line holds x and y", number, printable(word)));
    }
    value = *found;
  }
  if (const std::string_view more = take_word(line, " \t\r,"); !more.empty()) {
    throw Error(fmt::format("line {}: '{}' after x and y: a line holds one landmark", number, printable(more)));
  }
  if (landmarks.size() >= 2 * most_landmarks) throw Error(fmt::format("has more than {} landmarks", most_landmarks));
  landmarks.push_back(coordinate(pair[0] - first_pixel, fmt::format("line {}: x", number)));
  landmarks.push_back(coordinate(pair[1] - first_pixel, fmt::format("line {}: y", number)));
}

// "n_points: 68" in any spelling; the number, if the line has one.
std::optional<double> stated_count(std::string_view line) {
  if (line.substr(0, 8) != "n_points") return std::nullopt;
  line.remove_prefix(8);
  const auto number = number_in(take_word(line, " \t:="));
  if (!number) throw Error("n_points is followed by no number: write it as 'n_points: 68'");
  return number;
}

}  // namespace

LandmarkedFace read_pts(std::string_view bytes, double first_pixel) {
  LandmarkedFace face;
  std::optional<double> stated;
  bool open = false, closed = false;
  TextReader text(bytes);
  while (const auto line = text.line()) {
    std::string_view rest = *line;
    const std::size_t begin = std::min(rest.find_first_not_of(" \t"), rest.size());
    rest.remove_prefix(begin);
    while (!rest.empty() && (rest.back() == ' ' || rest.back() == '\t')) rest.remove_suffix(1);
    if (rest.empty() || rest[0] == '#' || rest.substr(0, 2) == "//") continue;
    if (const auto count = stated_count(rest)) {
      stated = count;
    } else if (rest.substr(0, 7) == "version" && !open) {
      continue;
    } else if (rest == "{" && !open) {
      open = true;
    } else if (rest == "}" && open && !closed) {
      closed = true;
    } else if (closed) {
      throw Error(fmt::format("line {}: '{}' after the closing brace: one .pts file holds one face", text.line_number(),
                              printable(rest)));
    } else {
      add_pair(face.landmarks, rest, text.line_number(), first_pixel);
    }
  }
  const std::size_t count = face.landmarks.size() / 2;
  if (open && !closed) throw Error(fmt::format("ends within its braces after {} landmarks: it is cut short", count));
  if (stated && *stated != static_cast<double>(count)) {
    throw Error(fmt::format("says n_points: {} and holds {}: it is cut short or mixed up", *stated, count));
  }
  if (count == 0) throw Error("holds no landmarks: each line of a .pts file is x and y");
  return face;
}

// The shape files of IMM: comments, a line with the count, a line per point (path, type, x, y, number, from, to, three
// more) with x and y as fractions of the image's width and height, and the name of the image at the end.
LandmarkedFace read_asf(std::string_view bytes) {
  LandmarkedFace face;
  face.relative = true;
  std::optional<std::size_t> count;
  TextReader text(bytes);
  while (const auto line = text.line()) {
    std::string_view rest = *line;
    const std::string_view first = take_word(rest);
    if (first.empty() || first[0] == '#') continue;
    if (!count) {
      const auto number = number_in(first);
      if (!number || *number < 1 || *number > static_cast<double>(most_landmarks) || *number != std::floor(*number)) {
        throw Error(
            fmt::format("line {}: '{}' where the number of points is needed", text.line_number(), printable(first)));
      }
      count = static_cast<std::size_t>(*number);
      continue;
    }
    if (face.landmarks.size() < 2 * *count) {
      take_word(rest);  // the point's type
      for (const char* axis : {"x", "y"}) {
        const std::string_view word = take_word(rest);
        const auto number = number_in(word);
        // a point may lie slightly outside, but a fraction of 100 is a pixel coordinate
        if (!number || !(std::abs(*number) < 10)) {
          throw Error(fmt::format("line {}: {} is '{}', where a fraction of the picture's size is needed",
                                  text.line_number(), axis, printable(word)));
        }
        face.landmarks.push_back(static_cast<float>(*number));
      }
      continue;
    }
    // the rest names the image; the name may contain spaces
    std::string_view name = *line;
    name.remove_prefix(std::min(name.find_first_not_of(" \t"), name.size()));
    while (!name.empty() && (name.back() == ' ' || name.back() == '\t')) name.remove_suffix(1);
    face.image = std::string(name);
  }
  if (!count) throw Error("holds no number of points: is it a shape file of IMM?");
  if (face.landmarks.size() < 2 * *count) {
    throw Error(fmt::format("says {} points and holds {}: it is cut short", *count, face.landmarks.size() / 2));
  }
  return face;
}

void write_pts(const std::filesystem::path& path, std::span<const float> landmarks, double first_pixel) {
  std::string text = fmt::format("version: 1\nn_points: {}\n{{\n", landmarks.size() / 2);
  for (std::size_t i = 0; i + 1 < landmarks.size(); i += 2) {
    text += fmt::format("{:.4f} {:.4f}\n", static_cast<double>(landmarks[i]) + first_pixel,
                        static_cast<double>(landmarks[i + 1]) + first_pixel);
  }
  write_file(path, text + "}\n");
}

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
