#include "io/motion/bvh.h"

#include "core/geometry.h"
#include "io/files/output_file.h"
#include "kinema/error.h"

#include <fmt/format.h>

#include <numbers>

namespace kinema::io {
namespace {

constexpr std::array<std::string_view, 6> channel_names = {"Xposition", "Yposition", "Zposition",
                                                           "Xrotation", "Yrotation", "Zrotation"};

struct Place {
  Vec3 position = {};
  Quaternion rotation = {1, 0, 0, 0};
};

// The position of a joint in its parent's frame.
Place local_place(const BvhJoint& joint, std::span<const double> frame) {
  Place place{.position = joint.offset};
  for (std::size_t c = 0; c < joint.channels.size(); ++c) {
    const double value = frame[joint.first_channel + c];
    const double half = value * std::numbers::pi / 360;
    switch (joint.channels[c]) {
      case BvhChannel::x_position:
        place.position.x = value;
        break;
      case BvhChannel::y_position:
        place.position.y = value;
        break;
      case BvhChannel::z_position:
        place.position.z = value;
        break;
      case BvhChannel::x_rotation:
        place.rotation = place.rotation * Quaternion{std::cos(half), std::sin(half), 0, 0};
        break;
      case BvhChannel::y_rotation:
        place.rotation = place.rotation * Quaternion{std::cos(half), 0, std::sin(half), 0};
        break;
      case BvhChannel::z_rotation:
        place.rotation = place.rotation * Quaternion{std::cos(half), 0, 0, std::sin(half)};
        break;
    }
  }
  return place;
}

template <class LocalPlace>
BvhPlaces chain(const Bvh& bvh, LocalPlace local) {
  BvhPlaces places;
  for (const BvhJoint& joint : bvh.joints) {
    const Place place = local(joint);
    if (joint.parent < 0) {
      places.positions.push_back(place.position);
      places.rotations.push_back(place.rotation);
      continue;
    }
    const auto parent = static_cast<std::size_t>(joint.parent);
    places.positions.push_back(places.positions[parent] + rotate(places.rotations[parent], place.position));
    places.rotations.push_back(places.rotations[parent] * place.rotation);
  }
  return places;
}

void write_joint(std::string& text, const Bvh& bvh, const std::vector<std::vector<int>>& children, int number,
                 int depth) {
  const BvhJoint& joint = bvh.joints[static_cast<std::size_t>(number)];
  const std::string margin(static_cast<std::size_t>(2 * depth), ' ');
  text += fmt::format("{}{} {}\n{}{{\n", margin, depth == 0 ? "ROOT" : "JOINT", joint.name, margin);
  text += fmt::format("{}  OFFSET {:.8g} {:.8g} {:.8g}\n", margin, joint.offset.x, joint.offset.y, joint.offset.z);
  text += fmt::format("{}  CHANNELS {}", margin, joint.channels.size());
  for (BvhChannel channel : joint.channels)
    text += fmt::format(" {}", channel_names[static_cast<std::size_t>(channel)]);
  text += '\n';
  for (int child : children[static_cast<std::size_t>(number)]) write_joint(text, bvh, children, child, depth + 1);
  for (const Vec3& end : joint.end_sites) {
    text += fmt::format("{0}  End Site\n{0}  {{\n{0}    OFFSET {1:.8g} {2:.8g} {3:.8g}\n{0}  }}\n", margin, end.x,
                        end.y, end.z);
  }
  text += fmt::format("{}}}\n", margin);
}

}  // namespace

void write_bvh(OutputFile& file, const Bvh& bvh) {
  std::vector<std::vector<int>> children(bvh.joints.size());
  for (std::size_t j = 1; j < bvh.joints.size(); ++j) {
    children[static_cast<std::size_t>(bvh.joints[j].parent)].push_back(static_cast<int>(j));
  }
  std::string text = "HIERARCHY\n";
  write_joint(text, bvh, children, 0, 0);
  text += fmt::format("MOTION\nFrames: {}\nFrame Time: {:.9g}\n", bvh.frames, bvh.frame_time);
  file.write(text);

  // readers take the numbers in the order of the joints in the file, which is that of the tree
  std::vector<std::size_t> order;
  std::vector<int> waiting{0};
  while (!waiting.empty()) {
    const auto joint = static_cast<std::size_t>(waiting.back());
    waiting.pop_back();
    for (std::size_t c = 0; c < bvh.joints[joint].channels.size(); ++c) {
      order.push_back(bvh.joints[joint].first_channel + c);
    }
    waiting.insert(waiting.end(), children[joint].rbegin(), children[joint].rend());
  }
  for (std::size_t f = 0; f < bvh.frames; ++f) {
    std::string line;
    for (std::size_t c : order) line += fmt::format("{}{:.7g}", line.empty() ? "" : " ", bvh.frame(f)[c]);
    file.write(line + "\n");
  }
}

BvhPlaces bvh_places(const Bvh& bvh, double frame) {
  if (bvh.frames == 0) return bvh_rest(bvh);
  const double last = static_cast<double>(bvh.frames - 1);
  const double at = std::clamp(frame, 0.0, last);
  const double before = std::floor(at);
  const double part = at - before;
  const auto first = static_cast<std::size_t>(before);
  const std::size_t second = std::min(first + 1, bvh.frames - 1);
  return chain(bvh, [&](const BvhJoint& joint) {
    const Place a = local_place(joint, bvh.frame(first));
    if (part == 0) return a;
    const Place b = local_place(joint, bvh.frame(second));
    return Place{a.position + part * (b.position - a.position), slerp(a.rotation, b.rotation, part)};
  });
}

BvhPlaces bvh_rest(const Bvh& bvh) {
  return chain(bvh, [](const BvhJoint& joint) { return Place{joint.parent < 0 ? Vec3{} : joint.offset, {}}; });
}

std::array<int, body::common_joints.size()> bvh_common_joints(const Bvh& bvh) {
  std::array<int, body::common_joints.size()> found{};
  found.fill(-1);
  for (std::size_t j = 0; j < bvh.joints.size(); ++j) {
    const std::string_view common = body::common_joint(bvh.joints[j].name);
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (common == body::common_joints[i]) found[i] = static_cast<int>(j);
    }
  }
  return found;
}

double guess_metres_per_unit(const Bvh& bvh) {
  const auto joints = bvh_common_joints(bvh);
  // position channels may override the OFFSETs, so the lengths are those of the last frame
  const BvhPlaces places = bvh_places(bvh, static_cast<double>(bvh.frames));
  const auto bone = [&](std::string_view from, std::string_view to) {
    Vec3 ends[2];
    for (std::size_t i = 0; i < joints.size(); ++i) {
      if (body::common_joints[i] != from && body::common_joints[i] != to) continue;
      if (joints[i] < 0) {
        throw Error(fmt::format("has no joint {}, so its unit cannot be guessed: give --unit", body::common_joints[i]));
      }
      ends[body::common_joints[i] == to] = places.positions[static_cast<std::size_t>(joints[i])];
    }
    return norm(ends[1] - ends[0]);
  };
  const double size = bone("left_hip", "left_knee") + bone("left_knee", "left_ankle") + bone("pelvis", "neck");
  constexpr double usual = 1.1, tolerance = 2;
  constexpr double candidates[] = {1, 0.01, 0.001, 0.0254 / 0.45};
  double best = 0, best_error = std::log(tolerance);
  for (double unit : candidates) {
    const double error = std::abs(std::log(size * unit / usual));
    if (error < best_error) best = unit, best_error = error;
  }
  if (best == 0) {
    throw Error(
        fmt::format("has a leg and a trunk of {:.4g} units together, which no person has in metres, centimetres, "
                    "millimetres or units of the CMU database: give --unit, in metres",
                    size));
  }
  return best;
}

}  // namespace kinema::io
