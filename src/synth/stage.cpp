#include "synth/stage.h"

#include "kinema/error.h"
#include "synth/flesh.h"
#include "synth/turn.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace kinema::synth {
namespace {

constexpr double nearest = 1.5;  // of a joint to the camera: sensors measure nothing nearer
constexpr double shortest = 2.4, longest = 9.0;
constexpr double behind = 0.9;  // from the person to the wall
constexpr double margin = 8;    // pixels around the person

// The horizontal direction in which the person looks over the clip, or at its start where it turns round.
Vec3 facing(std::span<const Figure> motion) {
  const auto level = [](Vec3 v) { return Vec3{v.x, 0, v.z}; };
  Vec3 sum{};
  for (const Figure& figure : motion) sum = sum + level(front_of(figure));
  if (norm(sum) < 0.3 * static_cast<double>(motion.size())) sum = level(front_of(motion.front()));
  return norm(sum) > 1e-6 ? (1 / norm(sum)) * sum : Vec3{0, 0, 1};
}

struct Box {
  Vec3 low, high;
};

Box box_around(std::span<const Figure> motion) {
  constexpr double far = std::numeric_limits<double>::infinity();
  Box box{{far, far, far}, {-far, -far, -far}};
  for (const Figure& figure : motion) {
    for (const Vec3& p : figure.positions) {
      box.low = {std::min(box.low.x, p.x), std::min(box.low.y, p.y), std::min(box.low.z, p.z)};
      box.high = {std::max(box.high.x, p.x), std::max(box.high.y, p.y), std::max(box.high.z, p.z)};
    }
  }
  return box;
}

void look(Stage& stage, Vec3 target) {
  const Vec3 way = target - stage.eye;
  stage.forward = (1 / norm(way)) * way;
  const Vec3 right = cross(stage.forward, sky);
  stage.right = (1 / norm(right)) * right;
  stage.down = cross(stage.forward, stage.right);
}

}  // namespace

Figure Stage::to_camera(const Figure& figure) const {
  const Quaternion turn = conjugate(rotation_of({right, down, forward}));
  Figure seen = figure;
  for (Vec3& joint : seen.positions) joint = to_camera(joint - eye);
  for (Quaternion& rotation : seen.rotations) rotation = turn * rotation;
  return seen;
}

bool Stage::shows(const Figure& figure, double baseline) const {
  const auto in_view = [&](Vec3 p, double radius) {
    if (p.z - radius < nearest) return false;
    const double reach_u = camera.fx * radius / p.z + margin, reach_v = camera.fy * radius / p.z + margin;
    const double u = camera.fx * p.x / p.z + camera.cx, v = camera.fy * p.y / p.z + camera.cy;
    const double u_right = u - camera.fx * baseline / p.z;
    return u_right - reach_u >= 0 && u + reach_u < camera.width && v - reach_v >= 0 && v + reach_v < camera.height;
  };
  const double size = figure.person->size;
  const auto reaches = [&](std::string_view joint, Vec3 end, double radius) {
    return in_view(figure.place(figure.person->skeleton.find(joint), size * end), size * radius);
  };
  return reaches("left_wrist", {0.17, 0, 0}, 0.02) && reaches("right_wrist", {-0.17, 0, 0}, 0.02) &&
         reaches("left_toe", {0, 0, 0.05}, 0.04) && reaches("right_toe", {0, 0, 0.05}, 0.04) &&
         reaches("head", {0, 0.05, 0.01}, 0.11) &&
         std::all_of(figure.positions.begin(), figure.positions.end(),
                     [&](const Vec3& joint) { return in_view(joint, 0.07 * size); });
}

Stage set_stage(std::span<const Figure> motion, const Camera& camera, const StageSettings& settings) {
  Stage stage;
  stage.camera = camera;
  const Box box = box_around(motion);
  const Vec3 middle = 0.5 * (box.low + box.high);
  double ground = std::numeric_limits<double>::infinity();
  for (const Figure& figure : motion) ground = std::min(ground, sole_of(figure, sky));

  const Vec3 front = facing(motion);
  const double turn = settings.azimuth * std::numbers::pi / 180;
  const Vec3 left = cross(sky, front);
  const Vec3 from = std::cos(turn) * front + std::sin(turn) * left;
  const auto place = [&](double distance) {
    stage.distance = distance;
    stage.eye = middle + distance * from;
    stage.eye.y = ground + settings.height;
    look(stage, middle);
  };
  const auto shows_all = [&] {
    return std::all_of(motion.begin(), motion.end(),
                       [&](const Figure& f) { return stage.shows(stage.to_camera(f), settings.baseline); });
  };
  if (settings.distance) {
    place(*settings.distance);
  } else {
    double distance = shortest;
    for (place(distance); !shows_all(); place(distance)) {
      distance += 0.05;
      if (distance > longest) {
        throw Error(
            fmt::format("goes {:.1f} m and further, which no camera nearer than {:g} m shows whole: take a part "
                        "of it with --start and --frames, or give --camera-distance",
                        std::hypot(box.high.x - box.low.x, box.high.z - box.low.z), longest));
      }
    }
  }

  stage.up = stage.to_camera(sky);
  stage.level = stage.to_camera((-1.0) * from);
  stage.floor = ground - stage.eye.y;
  for (const Figure& figure : motion) {
    for (const Vec3& joint : figure.positions) {
      stage.wall = std::max(stage.wall, dot(stage.level, stage.to_camera(joint - stage.eye)) + behind);
    }
  }
  return stage;
}

}  // namespace kinema::synth
