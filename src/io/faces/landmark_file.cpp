#include "io/faces/landmark_file.h"

#include "io/files/input_file.h"
#include "io/files/output_file.h"
#include "io/files/text.h"
#include "kinema/error.h"

#include <fmt/format.h>

#include <cmath>

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

}  // namespace kinema::io
