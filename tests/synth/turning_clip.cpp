// What the front camera of a turning device sees of a head that rests: clip.y4m for Chromium's fake camera, its filter.json
// and turn.json, for web/tests/hand_held.test.mjs. The number of each frame is written below it, in squares of black and
// white, so that the test can tell when the camera shows which. turn.json also has where the tracker sees the head, frame by
// frame, once it has seen one turn.
#include "io/faces/filter_json.h"
#include "io/files/output_file.h"
#include "kinema/error.h"
#include "kinema/head_tracker.h"
#include "synth/head_clip.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace kinema {
namespace {

constexpr int width = 320, height = 240, bits = 8, square = 8;
constexpr double fps = 30, field_of_view = 1.22, distance = 0.45;

// Black and white squares at the lower left, the lowest bit first.
void write_number(io::Picture& picture, std::size_t number) {
  for (int y = height - square; y < height; ++y) {
    for (int x = 0; x < bits * square; ++x) {
      const std::uint8_t level = (number >> (x / square)) & 1 ? 255 : 0;
      for (int c = 0; c < 3; ++c) picture.bgr[static_cast<std::size_t>(3 * (y * width + x) + c)] = level;
    }
  }
}

// Luma and chroma of BT.601 in their range of video, chroma at half the resolution.
std::string planes(const io::Picture& picture) {
  const auto at = [&](int x, int y, int c) { return picture.bgr[static_cast<std::size_t>(3 * (y * width + x) + c)]; };
  const auto byte = [](double value) { return static_cast<char>(std::lround(std::clamp(value, 0.0, 255.0))); };
  std::string result;
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x)
      result += byte(16 + (65.481 * at(x, y, 2) + 128.553 * at(x, y, 1) + 24.966 * at(x, y, 0)) / 255);
  }
  for (const auto& [r, g, b] : {std::array{-37.797, -74.203, 112.0}, std::array{112.0, -93.786, -18.214}}) {
    for (int y = 0; y < height; y += 2) {
      for (int x = 0; x < width; x += 2) {
        double sum = 0;
        for (int i = 0; i < 4; ++i) {
          const int u = x + i % 2, v = y + i / 2;
          sum += (r * at(u, v, 2) + g * at(u, v, 1) + b * at(u, v, 0)) / 255;
        }
        result += byte(128 + sum / 4);
      }
    }
  }
  return result;
}

// `rotation` and `above` are of the device: x to the viewer's right, y up, z to the viewer; the camera's lens lies
// `above` metres over its centre, about which it turns.
void write(const std::filesystem::path& folder, double above, const Vec3& rotation) {
  synth::CameraTurn turn;
  turn.rotation = {-rotation.x, -rotation.y, rotation.z};
  turn.pivot = {0, above, 0};
  synth::HeadClipSettings settings;
  settings.width = width;
  settings.height = height;
  settings.fps = fps;
  settings.field_of_view = field_of_view;
  settings.distance = distance;
  settings.turn = turn;
  const synth::HeadClip clip(settings);
  const auto frames = static_cast<std::size_t>(std::lround(turn.period * fps));

  std::string film = fmt::format("YUV4MPEG2 W{} H{} F{}:1 Ip A1:1 C420jpeg\n", width, height, static_cast<int>(fps));
  nlohmann::ordered_json places = nlohmann::ordered_json::array(), seen = nlohmann::ordered_json::array();
  std::optional<head::Tracker> tracker;
  const auto view = [](const io::Picture& picture) {
    return ColourView{picture.bgr.data(), width, height, std::size_t{3} * width, PixelFormat::bgr};
  };
  for (std::size_t frame = 0; frame < frames; ++frame) {
    io::Picture picture = clip.picture(frame);
    const synth::HeadTruth truth = clip.truth(frame);
    if (frame == 0) {
      const ColourView first = view(picture);
      const head::Oval oval{truth.x, truth.y, truth.rx, truth.ry};
      head::CalibrationSettings calibration;
      calibration.distance = distance;
      calibration.field_of_view = field_of_view;
      head::TrackerSettings tracking{.calibration = head::calibrate({&first, 1}, {&oval, 1}, calibration)};
      io::write_filter(folder / "filter.json", tracking.calibration);
      tracker.emplace(tracking);
    }
    tracker->track(view(picture), static_cast<double>(frame) / fps);
    write_number(picture, frame);
    film += "FRAME\n" + planes(picture);
    const double focal = width / 2.0 / std::tan(field_of_view / 2);
    places.push_back({(truth.x - (width - 1) / 2.0) / focal * truth.distance,
                      (truth.y - (height - 1) / 2.0) / focal * truth.distance, truth.distance});
  }
  for (std::size_t frame = 0; frame < frames; ++frame) {
    const head::Estimate estimate =
        tracker->track(view(clip.picture(frame)), turn.period + static_cast<double>(frame) / fps);
    if (!estimate.raw_position) throw Error("the head was lost");
    seen.push_back({estimate.raw_position->x, estimate.raw_position->y, estimate.raw_position->z});
  }
  io::OutputFile clip_file(folder / "clip.y4m"), turn_file(folder / "turn.json");
  clip_file.write(film);
  nlohmann::ordered_json json{
      {"fps", fps},        {"frames", frames},          {"rotation", {rotation.x, rotation.y, rotation.z}},
      {"above", above},    {"rest", turn.rest},         {"seconds", turn.seconds},
      {"hold", turn.hold}, {"period", turn.period},     {"bits", bits},
      {"square", square},  {"head", std::move(places)}, {"seen", std::move(seen)}};
  turn_file.write(json.dump() + "\n");
  clip_file.commit();
  turn_file.commit();
}

}  // namespace
}  // namespace kinema

int main(int count, char** words) {
  if (count != 6) {
    fmt::print(stderr, "turning_clip FOLDER ABOVE X Y Z: metres, and the rotation in degrees about each axis\n");
    return 2;
  }
  try {
    constexpr double degree = 3.14159265358979323846 / 180;
    kinema::write(words[1], std::stod(words[2]),
                  {degree * std::stod(words[3]), degree * std::stod(words[4]), degree * std::stod(words[5])});
  } catch (const std::exception& error) {
    fmt::print(stderr, "turning_clip: {}\n", error.what());
    return 2;
  }
}
