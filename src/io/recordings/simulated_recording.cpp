#include "io/recordings/simulated_recording.h"

#include "io/files/input_file.h"
#include "io/files/npy.h"
#include "io/files/output_file.h"
#include "io/pictures/image_file.h"
#include "io/recordings/recording_kinds.h"
#include "kinema/error.h"
#include "kinema/skeleton.h"

#include <fmt/format.h>

#include <array>

namespace kinema::io {
namespace {

constexpr std::array single_files = {"camera.json", "truth.jsonl", "skeleton.json", "background.png"};

DepthImage copied(ImageView<const std::uint16_t> depth) {
  DepthImage image{static_cast<int>(depth.width), static_cast<int>(depth.height), {}};
  for (std::size_t y = 0; y < depth.height; ++y) {
    image.units.insert(image.units.end(), &depth.at(0, y), &depth.at(0, y) + depth.width);
  }
  return image;
}

std::filesystem::path frame_file(const std::filesystem::path& folder, const std::string& kind, std::size_t frame,
                                 const char* ending) {
  return folder / kind / fmt::format("{:06}.{}", frame, ending);
}

bool has_files(const std::filesystem::path& folder) {
  std::error_code ignored;
  return is_folder(folder) && !std::filesystem::is_empty(folder, ignored);
}

// Only files named like frames are removed: 000123.png.
bool is_frame(const std::filesystem::path& path) {
  const std::string stem = path.stem().string(), ending = path.extension().string();
  return stem.size() == 6 && stem.find_first_not_of("0123456789") == std::string::npos &&
         (ending == ".png" || ending == ".npy");
}

void remove_recording(const std::filesystem::path& folder) {
  std::error_code error;
  // camera.json first: from now on the recording is incomplete
  for (const char* name : single_files) std::filesystem::remove(folder / name, error);
  for (const char* kind : frame_folders) {
    if (!has_files(folder / kind)) continue;
    std::vector<std::filesystem::path> frames;
    for (const auto& entry : std::filesystem::directory_iterator(folder / kind)) {
      if (entry.is_regular_file() && is_frame(entry.path())) frames.push_back(entry.path());
    }
    for (const auto& frame : frames) std::filesystem::remove(frame, error);
    if (std::filesystem::is_empty(folder / kind, error)) std::filesystem::remove(folder / kind, error);
  }
}

}  // namespace

SimulatedRecording::SimulatedRecording(std::filesystem::path folder, const std::vector<std::string>& kinds,
                                       bool replace)
    : folder_(std::move(folder)) {
  if (!replace) {
    if (is_there(folder_ / "camera.json")) {
      throw Error(fmt::format("{}: holds a recording already: choose another folder, or replace it with --force",
                              folder_.string()));
    }
    for (const char* kind : frame_folders) {
      if (!has_files(folder_ / kind)) continue;
      throw Error(
          fmt::format("{}: holds frames in {} and no camera.json, a recording that was not completed: remove it, "
                      "or replace it with --force",
                      folder_.string(), kind));
    }
  }
  make_folder(folder_);
  if (replace) remove_recording(folder_);
  for (const std::string& kind : kinds) make_folder(folder_ / kind);
}

void SimulatedRecording::write_depth(std::size_t frame, ImageView<const std::uint16_t> depth) const {
  write_depth_png(frame_file(folder_, "depth", frame, "png"), copied(depth));
}

void SimulatedRecording::write_picture(const std::string& kind, std::size_t frame, const Picture& picture) const {
  write_picture_png(frame_file(folder_, kind, frame, "png"), picture);
}

void SimulatedRecording::write_points(std::size_t frame, std::span<const float> xyz) const {
  OutputFile file(frame_file(folder_, "points", frame, "npy"));
  write_npy<float>(file, xyz, {xyz.size() / 3, 3});
  file.commit();
}

void SimulatedRecording::write_background(ImageView<const std::uint16_t> depth) const {
  write_depth_png(folder_ / "background.png", copied(depth));
}

void SimulatedRecording::write_truth(const std::vector<std::vector<Vec3>>& joints, double frames_per_second) const {
  OutputFile file(folder_ / "truth.jsonl");
  for (std::size_t f = 0; f < joints.size(); ++f) {
    std::string line =
        fmt::format("{{\"frame\":{},\"time\":{:.6g},\"joints\":{{", f, static_cast<double>(f) / frames_per_second);
    for (std::size_t j = 0; j < joints[f].size(); ++j) {
      const Vec3& p = joints[f][j];
      line +=
          fmt::format("{}\"{}\":[{:.6f},{:.6f},{:.6f}]", j == 0 ? "" : ",", body::common_joints.at(j), p.x, p.y, p.z);
    }
    file.write(line + "}}\n");
  }
  file.commit();
}

void SimulatedRecording::write_camera(const Camera& camera, double frames_per_second, std::optional<double> depth_scale,
                                      std::optional<double> baseline) const {
  std::string text =
      fmt::format("{{\"width\":{},\"height\":{},\"fx\":{},\"fy\":{},\"cx\":{},\"cy\":{},\"fps\":{}", camera.width,
                  camera.height, camera.fx, camera.fy, camera.cx, camera.cy, frames_per_second);
  if (depth_scale) text += fmt::format(",\"depth_scale\":{}", *depth_scale);
  if (baseline) text += fmt::format(",\"baseline\":{}", *baseline);
  write_file(folder_ / "camera.json", text + "}\n");
}

}  // namespace kinema::io
