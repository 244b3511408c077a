#include "io/faces/layout_json.h"

#include "io/files/input_file.h"
#include "io/files/json_place.h"
#include "kinema/error.h"

#include <fmt/format.h>

#include <numeric>

namespace kinema::io {
namespace {

constexpr std::size_t largest_layout = 1 << 22, most_points = 4096, most_triangles = 65536;

int landmark(const JsonPlace& place, std::size_t landmarks) {
  const std::int64_t number = place.whole_number();
  if (number < 0 || number >= static_cast<std::int64_t>(landmarks)) {
    place.fail(fmt::format("is {}: landmarks count from 0 to {}", number, landmarks - 1));
  }
  return static_cast<int>(number);
}

face::Layout::Group group(const JsonPlace::Member& member, std::size_t landmarks) {
  face::Layout::Group made;
  made.name = member.name;
  JsonPlace points = member.place;
  if (points.is_object()) {
    points.only({"points", "closed"});
    if (const auto closed = points.find("closed")) {
      if (!closed->value().is_boolean()) closed->fail("is neither true nor false");
      made.closed = closed->value().get<bool>();
    }
    points = member.place.member("points");
  }
  for (const JsonPlace& point : points.elements(most_points)) made.points.push_back(landmark(point, landmarks));
  return made;
}

std::vector<int> mirror(const JsonPlace& pairs, std::size_t landmarks) {
  std::vector<int> other(landmarks);
  std::iota(other.begin(), other.end(), 0);
  std::vector<bool> named(landmarks);
  for (const JsonPlace& pair : pairs.elements(most_points)) {
    const std::vector<JsonPlace> both = pair.elements(2);
    if (both.size() != 2) pair.fail("is not a pair of two landmarks");
    const int a = landmark(both[0], landmarks), b = landmark(both[1], landmarks);
    for (int point : {a, b}) {
      if (named[static_cast<std::size_t>(point)] && a != b)
        pair.fail(fmt::format("names landmark {} a second time", point));
      named[static_cast<std::size_t>(point)] = true;
    }
    other[static_cast<std::size_t>(a)] = b;
    other[static_cast<std::size_t>(b)] = a;
  }
  return other;
}

face::Layout layout_of(const JsonPlace& root, std::size_t landmarks) {
  root.only({"landmarks", "groups", "mirror", "triangles", "outer_eyes"});
  if (const auto count = root.find("landmarks");
      count && count->whole_number() != static_cast<std::int64_t>(landmarks)) {
    count->fail(fmt::format("is {}, and the faces have {}", count->whole_number(), landmarks));
  }
  face::Layout layout;
  if (const auto groups = root.find("groups")) {
    for (const JsonPlace::Member& member : groups->members()) layout.groups.push_back(group(member, landmarks));
  }
  if (const auto pairs = root.find("mirror")) layout.mirror = mirror(*pairs, landmarks);
  if (const auto triangles = root.find("triangles")) {
    for (const JsonPlace& triangle : triangles->elements(most_triangles)) {
      const std::vector<JsonPlace> corners = triangle.elements(3);
      if (corners.size() != 3) triangle.fail("is not a triangle of three landmarks");
      const std::array<int, 3> made{landmark(corners[0], landmarks), landmark(corners[1], landmarks),
                                    landmark(corners[2], landmarks)};
      if (made[0] == made[1] || made[1] == made[2] || made[0] == made[2]) triangle.fail("names a landmark twice");
      layout.triangles.push_back(made);
    }
  }
  if (const auto eyes = root.find("outer_eyes")) {
    const std::vector<JsonPlace> both = eyes->elements(2);
    if (both.size() != 2) eyes->fail("has not two landmarks, the outer corners of the eyes");
    layout.outer_eyes = {landmark(both[0], landmarks), landmark(both[1], landmarks)};
    if (layout.outer_eyes[0] == layout.outer_eyes[1]) eyes->fail("names one landmark twice");
  }
  return layout;
}

}  // namespace

face::Layout read_layout(const std::filesystem::path& path, std::size_t landmarks) {
  return naming(path, [&] {
    const nlohmann::json json = parse_json(read_bytes(path, largest_layout));
    return layout_of(JsonPlace(json), landmarks);
  });
}

}  // namespace kinema::io
