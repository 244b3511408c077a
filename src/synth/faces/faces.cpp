#include "synth/faces/faces.h"

#include "core/random.h"
#include "core/threads.h"
#include "io/faces/landmark_file.h"
#include "io/files/output_file.h"
#include "io/pictures/image_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace kinema::synth {
namespace {

// A sequence of random numbers for one purpose.
class Draw {
public:
  Draw(std::uint64_t seed, std::uint32_t purpose, std::uint32_t number) : random_{seed, purpose, number} {}

  double uniform(double low = 0, double high = 1) { return low + (high - low) * random_.uniform(dimension_++); }
  double normal(double deviation = 1) {
    return std::clamp(deviation * random_.normal(dimension_++), -2.2 * deviation, 2.2 * deviation);
  }
  bool chance(double share) { return uniform() < share; }
  std::uint32_t bits() { return static_cast<std::uint32_t>(uniform() * 4294967295.0); }

private:
  Random random_;
  std::uint32_t dimension_ = 0;
};

enum Purpose : std::uint32_t { who = 1, doing = 2, where = 3, clip = 4 };

}  // namespace

FaceIdentity face_identity(std::uint64_t seed, std::uint32_t person) {
  Draw draw(seed, who, person);
  FaceIdentity face;
  for (double* trait : {&face.width,        &face.length,     &face.jaw,         &face.chin,        &face.jaw_angle,
                        &face.temples,      &face.cheeks,     &face.chin_length, &face.eye_size,    &face.eye_opening,
                        &face.eye_distance, &face.eye_tilt,   &face.lid_slope,   &face.brow_height, &face.brow_arch,
                        &face.brow_width,   &face.brow_start, &face.brow_end,    &face.brow_tilt,   &face.nose_length,
                        &face.nose_width,   &face.nose_depth, &face.nose_tip,    &face.nose_root,   &face.mouth_width,
                        &face.mouth_height, &face.upper_lip,  &face.lower_lip,   &face.lip_bow,     &face.mouth_corner,
                        &face.lip_corner,   &face.eye_slope,  &face.brow_slope,  &face.nose_bend,   &face.mouth_slope,
                        &face.jaw_bend,     &face.jaw_start,  &face.jaw_shift}) {
    *trait = draw.normal();
  }
  face.melanin = draw.uniform(0.02, 1);
  face.redness = draw.uniform();
  face.beard = draw.chance(0.3) ? draw.uniform(0.2, 0.9) : 0;
  face.freckles = draw.chance(0.2) ? draw.uniform(0.3, 1) : 0;
  // dark skin mostly coincides with dark hair and eyes
  const double fair = std::max(0.0, 1 - 1.6 * face.melanin);
  face.hair_tone = draw.uniform(0, 0.25 + 0.75 * fair);
  face.hair_red = draw.uniform();
  face.hairline = draw.normal();
  face.hair_length = draw.chance(0.08) ? -1 : draw.chance(0.45) ? draw.uniform(0.35, 1) : draw.uniform(0, 0.15);
  const bool long_hair = face.hair_length > 0.3;
  if (long_hair && draw.chance(0.9)) face.beard = 0;
  if (face.hair_length >= 0 && draw.chance(0.4)) face.fringe = draw.uniform(0.1, 0.9);
  face.fringe_side = draw.uniform(-1, 1);
  if (long_hair && draw.chance(0.75)) face.curtain = draw.uniform();
  face.iris = draw.uniform(0, 0.2 + 0.8 * fair);
  face.age = draw.chance(0.35) ? draw.uniform(0.3, 1) : draw.uniform(0, 0.3);
  face.lip_colour = long_hair ? draw.uniform(0.2, 1) : draw.uniform(0, 0.5);
  face.eye_make_up = long_hair ? draw.uniform(0.2, 1) : draw.uniform(0, 0.5);
  face.brow_thickness = std::exp(draw.normal(0.28)) * (long_hair ? 0.85 : 1.15);
  face.brow_strength = draw.uniform(0.35, 1);
  face.nostrils = draw.uniform(0.15, 0.9);
  if (draw.chance(0.12)) {
    face.glasses = draw.uniform(0.15, 1);
    face.glasses_size = draw.uniform();
    face.glasses_shade = draw.chance(0.2) ? draw.uniform(0.3, 0.9) : 0;
  }
  face.lash_wing = draw.uniform();
  face.mouth_crease = draw.uniform();
  face.lip_shade = draw.uniform();
  face.blemishes = draw.uniform();
  face.neck = draw.normal();
  face.neck_shade = draw.uniform(0, 0.9);
  face.double_chin = draw.chance(0.35) ? draw.uniform(0.2, 1) : 0;
  face.collar = draw.chance(0.3) ? draw.uniform() : 0;
  face.texture = draw.bits();
  return face;
}

FaceExpression face_expression(std::uint64_t seed, std::uint32_t moment) {
  Draw draw(seed, doing, moment);
  FaceExpression now;
  const bool smiles = draw.chance(0.5);
  now.smile = smiles ? draw.uniform(0.2, 1) : draw.normal(0.25);
  // a smile mostly shows teeth; else the mouth is closed, or speaks
  now.open = draw.chance(smiles ? 0.6 : 0.1)    ? draw.uniform(0.05, 0.3)
             : draw.chance(smiles ? 0.12 : 0.2) ? draw.uniform(0.15, 0.9)
                                                : draw.uniform(0, 0.03);
  now.pucker = draw.chance(0.1) ? draw.uniform(0.2, 0.9) : 0;
  now.stretch = draw.normal(0.4);
  now.corner_lift = draw.normal(0.4);
  now.press = draw.chance(0.15) ? draw.uniform(0.2, 1) : 0;
  if (now.open > 0.05) {
    now.press = 0;
    now.lip_raise = draw.uniform(0, smiles ? 0.7 : 0.3);
    now.lip_drop = draw.uniform(0, 0.4);
  }
  now.jaw_side = draw.chance(0.2) ? draw.normal(0.5) : draw.normal(0.1);
  now.squint = draw.chance(0.25) ? draw.uniform(0.2, 1) : 0;
  now.brow_raise = draw.normal(0.4);
  now.blink = draw.chance(0.08) ? draw.uniform(0.6, 1) : std::max(0.0, draw.normal(0.12));
  now.lopsided = draw.normal(0.3);
  now.gaze_x = draw.normal(0.45);
  now.gaze_y = draw.normal(0.4);
  return now;
}

FaceScene face_scene(std::uint64_t seed, std::uint32_t moment, int size) {
  Draw draw(seed, where, moment);
  FaceScene scene;
  scene.width = scene.height = size;
  scene.scale = size * draw.uniform(0.26, 0.34);
  scene.x = 0.5 * (size - 1) + size * draw.normal(0.03);
  scene.y = 0.5 * (size - 1) + size * draw.normal(0.03);
  scene.distance = std::exp(draw.uniform(std::log(8.0), std::log(40.0)));  // 0.7 to 3.5 m
  scene.yaw = draw.chance(0.35) ? draw.uniform(-0.75, 0.75) : draw.normal(0.2);
  scene.pitch = draw.normal(0.13);
  scene.roll = draw.normal(0.14);
  scene.light_azimuth = draw.normal(0.7);
  scene.light_elevation = draw.uniform(-0.1, 1.1);
  scene.key = draw.uniform(0.1, 0.95);
  scene.fill = draw.uniform(0.2, 0.6) + 0.3 * std::max(0.0, 0.6 - scene.key);
  if (draw.chance(0.5)) {
    scene.second = draw.uniform(0.1, 0.7);
    scene.second_azimuth = draw.uniform(-2.2, 2.2);
    scene.second_elevation = draw.uniform(-0.3, 1);
  }
  scene.exposure = std::exp(draw.normal(0.16));
  scene.contrast = std::exp(draw.normal(0.15));
  if (draw.chance(0.07)) {
    const double angle = draw.uniform(-0.6, 3.74);  // below and beside, seldom above
    scene.cover = draw.uniform(0.25, 0.6);
    scene.cover_x = 0.95 * std::cos(angle);
    scene.cover_y = 0.45 + 1.0 * std::sin(angle);
  }
  // from candlelight to an overcast sky
  const auto warm = static_cast<float>(draw.normal(0.1));
  scene.tint = {1 - warm, 1, 1 + warm};
  scene.blur = (draw.chance(0.2) ? draw.uniform(1, 2.5) : draw.uniform(0.4, 1.0)) * size / 256.0;
  scene.noise = draw.chance(0.2) ? draw.uniform(4, 10) : draw.uniform(0.8, 4);
  scene.backdrop = draw.bits();
  scene.seed = (std::uint64_t{draw.bits()} << 32) | moment;
  return scene;
}

FaceShot face_shot(std::uint64_t seed, std::uint32_t number, int size) {
  return photograph_face(face_identity(seed, number), face_expression(seed, number), face_scene(seed, number, size));
}

face::OwnedExample face_example(std::uint64_t seed, std::uint32_t number, int size) {
  FaceShot shot = face_shot(seed, number, size);
  io::GreyImage grey = synth::grey_of(shot.picture);
  return {std::move(grey.grey), static_cast<std::size_t>(grey.width), static_cast<std::size_t>(grey.height),
          std::move(shot.landmarks)};
}

FaceShot FaceClip::at(double time) const {
  Draw draw(seed_, clip, 0);
  const auto swing = [&](double low, double high) {
    // two slow waves of incommensurable periods
    const double a = draw.uniform(low, high), b = draw.uniform(1.6 * low, 1.6 * high);
    const double pa = draw.uniform(0, 6.28), pb = draw.uniform(0, 6.28), turn = 2 * std::numbers::pi * time;
    return 0.65 * std::sin(turn * a + pa) + 0.35 * std::sin(turn * b + pb);
  };
  const auto number = static_cast<std::uint32_t>(1000003);
  FaceScene scene = face_scene(seed_, number, size_);
  scene.x = 0.5 * (size_ - 1) + 0.06 * size_ * swing(0.15, 0.3);
  scene.y = 0.5 * (size_ - 1) + 0.03 * size_ * swing(0.15, 0.3);
  scene.scale = size_ * (0.29 + 0.02 * swing(0.1, 0.2));
  scene.yaw = 0.32 * swing(0.2, 0.4);
  scene.pitch = 0.13 * swing(0.2, 0.4);
  scene.roll = 0.14 * swing(0.15, 0.35);
  scene.noise = 2;
  scene.seed = (seed_ << 20) + static_cast<std::uint64_t>(std::llround(1000 * time));
  FaceExpression now;
  now.smile = std::clamp(0.35 + 0.65 * swing(0.15, 0.3), -0.3, 1.0);
  now.open = std::max(0.0, 0.55 * swing(0.7, 1.3)) * std::max(0.0, 0.4 + 0.6 * swing(0.1, 0.2));
  now.brow_raise = 0.7 * swing(0.2, 0.5);
  now.gaze_x = -scene.yaw * 1.5;
  // a blink of a fifth of a second about every three seconds
  const double since = std::fmod(time + 1.9, 2.9);
  now.blink = since < 0.2 ? std::sin(std::numbers::pi * since / 0.2) : 0.05;
  FaceIdentity identity = face_identity(seed_, number);
  identity.melanin = std::min(identity.melanin, 0.7);
  return photograph_face(identity, now, scene);
}

std::vector<FaceShot> face_shots(std::uint64_t seed, std::uint32_t first, std::uint32_t count, int size, int threads) {
  std::vector<FaceShot> shots(count);
  Threads(threads).for_each(
      count, [&](std::size_t i) { shots[i] = face_shot(seed, first + static_cast<std::uint32_t>(i), size); });
  return shots;
}

std::vector<FaceShot> FaceClip::frames(std::uint32_t count, double frames_per_second, int threads) const {
  std::vector<FaceShot> shots(count);
  Threads(threads).for_each(count, [&](std::size_t i) { shots[i] = at(static_cast<double>(i) / frames_per_second); });
  return shots;
}

io::GreyImage grey_of(const io::Picture& picture) {
  io::GreyImage grey{picture.width, picture.height, {}};
  for (std::size_t i = 0; i + 2 < picture.bgr.size(); i += 3) {
    const unsigned sum = 29u * picture.bgr[i] + 150u * picture.bgr[i + 1] + 77u * picture.bgr[i + 2];
    grey.grey.push_back(static_cast<std::uint8_t>((sum + 128) / 256));
  }
  return grey;
}

void write_face_set(const std::filesystem::path& folder, const std::vector<FaceShot>& shots, std::uint32_t first,
                    int threads) {
  io::make_folder(folder);
  Threads(threads).for_each(shots.size(), [&](std::size_t i) {
    const std::filesystem::path place = folder / fmt::format("face_{:04}", first + i);
    io::write_picture_png(place.string() + ".png", shots[i].picture);
    io::write_pts(place.string() + ".pts", shots[i].landmarks);
  });
}

face::Similarity displaced_start(const face::Model& model, std::span<const float> landmarks, const StartNoise& noise,
                                 std::uint64_t seed, std::uint32_t number) {
  face::Start truth;
  truth.landmarks.assign(landmarks.begin(), landmarks.end());
  const face::Similarity there = face::start_pose(model, truth);
  float left = landmarks[0], right = left, top = landmarks[1], bottom = top;
  for (std::size_t i = 0; i + 1 < landmarks.size(); i += 2) {
    left = std::min(left, landmarks[i]), right = std::max(right, landmarks[i]);
    top = std::min(top, landmarks[i + 1]), bottom = std::max(bottom, landmarks[i + 1]);
  }
  const Random random{seed, 0x57A7u, number};
  const double scale = 1 + noise.scale * random.normal(2), turn = noise.turn * random.normal(3);
  // the mean shape has its centroid at 0, so that scale and rotation leave the centre of the face in place
  const double c = scale * std::cos(turn), s = scale * std::sin(turn);
  return {c * there.a - s * there.b, s * there.a + c * there.b,
          there.tx + noise.shift * random.normal(0) * static_cast<double>(right - left),
          there.ty + noise.shift * random.normal(1) * static_cast<double>(bottom - top)};
}

}  // namespace kinema::synth
