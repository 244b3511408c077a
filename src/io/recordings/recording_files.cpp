// Recordings whose frames are files: depth images, stereo pairs, clouds.
#include "io/files/input_file.h"
#include "io/recordings/cloud.h"
#include "io/recordings/recording_kinds.h"
#include "kinema/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace kinema::io {
namespace fs = std::filesystem;
namespace {

// One frame per file; derived classes read the file.
class FileRecording : public Recording {
public:
  std::optional<std::size_t> size() const final { return sequence_.frames.size(); }
  bool holds_pictures() const override { return !colours_.empty(); }

protected:
  bool read(Frame& frame) final {
    if (position_ == sequence_.frames.size()) return false;
    const std::size_t position = position_++;
    const FrameFile& file = sequence_.frames[position];
    frame.index = file.index;
    frame.time = sequence_.stamped ? file.stamp : camera_.fps > 0 ? static_cast<double>(file.index) / camera_.fps : 0;
    frame.name = file.path.filename().string();
    try {
      if (file.missing) throw about(file.path, Error("is missing in the sequence"));
      fill(position, frame);
    } catch (const Error& error) {
      frame.depth.clear();
      frame.pair = {};
      frame.points.clear();
      frame.gap = error.what();
    }
    if (const auto colour = colours_.find(file.index); colour != colours_.end()) {
      try {
        frame.colour = fitted(read_picture(colour->second), camera_.camera);
      } catch (const Error&) {
        // overlays can do without it, and the frame is still valid
      }
    }
    return true;
  }

  FileRecording(FrameSequence sequence, const Companions& companions)
      : Recording(SourceKind::sequence), sequence_(std::move(sequence)) {
    skeleton_ = companions.skeleton;
    truth_ = companions.truth;
    // by time if both have time stamps, by number if both have numbers, otherwise by position if none is missing
    if (companions.colour.stamped && sequence_.stamped) {
      std::map<std::string, long> indices;
      for (const FrameFile& frame : sequence_.frames) indices[frame.path.stem().string()] = frame.index;
      for (const FrameFile& colour : companions.colour.frames) {
        const auto index = indices.find(colour.path.stem().string());
        if (index != indices.end()) colours_[index->second] = colour.path;
      }
      return;
    }
    const bool by_number = companions.colour.numbered && sequence_.numbered;
    if (by_number || companions.colour.frames.size() == sequence_.frames.size()) {
      for (std::size_t i = 0; i < companions.colour.frames.size(); ++i) {
        const FrameFile& colour = companions.colour.frames[i];
        if (!colour.missing) colours_[by_number ? colour.index : sequence_.frames[i].index] = colour.path;
      }
    }
  }

  /// Makes a frame, or throws an Error that says why not.
  virtual void fill(std::size_t position, Frame& frame) = 0;

  /// Throws the first reason if no frame can be used; `read` throws if one cannot.
  template <class Read>
  void check_some_usable(Read read) const {
    std::string reason;
    for (std::size_t position = 0; position < sequence_.frames.size(); ++position) {
      if (sequence_.frames[position].missing) continue;
      try {
        read(position);
        return;
      } catch (const Error& error) {
        if (reason.empty()) reason = error.what();
      }
    }
    const std::size_t count = sequence_.frames.size();
    throw Error(count == 1 ? reason
                           : fmt::format("{} (and none of the other {} frames can be used)", reason, count - 1));
  }

  const FrameFile& file(std::size_t position) const { return sequence_.frames[position]; }

private:
  FrameSequence sequence_;
  std::map<long, fs::path> colours_;
  std::size_t position_ = 0;
};

// Metres. Cameras of depth measure nothing nearer, and people stand farther off.
constexpr float least_reach = 0.1f;

class DepthRecording final : public FileRecording {
public:
  DepthRecording(FrameSequence sequence, const SourceCamera& camera, const Companions& companions)
      : FileRecording(std::move(sequence), companions), images_(camera) {
    set_camera(images_.camera());
    check_some_usable([&](std::size_t position) {
      const fs::path& path = file(position).path;
      check_unit(path, read_file(path));
    });
    if (!companions.background.empty()) background_ = read_file(companions.background);
  }

private:
  void fill(std::size_t position, Frame& frame) override { frame.depth = read_file(file(position).path); }

  // Whole metres that are taken for millimetres are a scene in front of the lens, where nobody would be found.
  static void check_unit(const fs::path& path, const std::vector<float>& metres) {
    const float largest = *std::max_element(metres.begin(), metres.end());
    if (largest >= least_reach) return;
    throw about(path,
                Error(fmt::format("the largest depth is {:.3g} mm: give --depth-scale, the length of a unit of the "
                                  "depth images",
                                  1000 * largest)));
  }

  std::vector<float> read_file(const fs::path& path) const {
    const DepthImage image = read_depth_image(path);
    return naming(path, [&] { return images_.metres(image); });
  }

  DepthImages images_;
};

class StereoRecording final : public FileRecording {
public:
  StereoRecording(FrameSequence left, std::vector<FrameFile> right, const SourceCamera& camera,
                  const Companions& companions, const RecordingSettings& settings)
      : FileRecording(std::move(left), companions),
        right_(std::move(right)),
        pairs_(camera, settings),
        colour_(settings.colour) {
    set_camera(pairs_.camera());
    from_pairs_ = true;
    check_some_usable([&](std::size_t position) {
      if (right_[position].missing) throw missing_right(position);
      read_file(file(position).path);
      read_file(right_[position].path);
    });
    if (!companions.background.empty()) {
      // a depth image of the rectified camera, as a frame would be
      SourceCamera rectified{camera_, std::nullopt, companions.background.string()};
      if (!(rectified.file.depth_scale > 0)) {
        throw about(companions.background, Error("needs a \"depth_scale\" in the camera's file: its metres per unit"));
      }
      try {
        background_ = DepthImages(rectified).metres(read_depth_image(companions.background));
      } catch (const Error& error) {
        const std::string text = error.what();
        if (text.rfind(companions.background.string(), 0) == 0) throw;
        throw about(companions.background, error);
      }
    }
  }

  bool holds_pictures() const override { return colour_; }

private:
  void fill(std::size_t position, Frame& frame) override {
    if (right_[position].missing) throw missing_right(position);
    const Picture left = read_file(file(position).path), right = read_file(right_[position].path);
    naming(file(position).path, [&] { pairs_.fill(left, right, frame); });
    if (!colour_) frame.colour = {};
  }

  Picture read_file(const fs::path& path) const {
    Picture picture = read_picture(path);
    naming(path, [&] { pairs_.check(picture); });
    return picture;
  }

  Error missing_right(std::size_t position) const {
    return about(right_[position].path, Error("is missing: the left picture has no right one"));
  }

  std::vector<FrameFile> right_;  // one for each left one
  StereoPairs pairs_;
  bool colour_ = true;
};

class CloudRecording final : public FileRecording {
public:
  CloudRecording(FrameSequence sequence, const SourceCamera& camera, const Companions& companions)
      : FileRecording(std::move(sequence), companions) {
    set_camera(camera.file);
    holds_points_ = true;
    check_some_usable([&](std::size_t position) { read_file(file(position).path); });
  }

private:
  void fill(std::size_t position, Frame& frame) override {
    Cloud cloud = read_file(file(position).path);
    frame.points = std::move(cloud.points);
    frame.dropped = cloud.dropped;
  }

  static Cloud read_file(const fs::path& path) {
    Cloud cloud = read_cloud(path);
    if (cloud.points.empty()) {
      throw about(path, Error(cloud.dropped == 0 ? std::string("holds no point")
                                                 : fmt::format("holds no usable point: all {} are not finite or 0 0 0",
                                                               cloud.dropped)));
    }
    return cloud;
  }
};

// Left and right files whose names are the same time stamp. Of a pair that is being written the right one may be missing.
std::pair<FrameSequence, std::vector<FrameFile>> paired_by_name(FrameSequence left, const FrameSequence& right) {
  std::map<std::string, const FrameFile*> rights;
  for (const FrameFile& frame : right.frames) rights[frame.path.stem().string()] = &frame;
  std::vector<FrameFile> halves;
  for (const FrameFile& frame : left.frames) {
    const auto found = rights.find(frame.path.stem().string());
    const fs::path folder = right.frames.front().path.parent_path();
    halves.push_back(found != rights.end() ? *found->second
                                           : FrameFile{frame.index, frame.stamp, folder / frame.path.filename(), true});
  }
  return {std::move(left), std::move(halves)};
}

// Left and right files with the same numbers; a number on one side only gives a pair with a missing half.
std::pair<FrameSequence, std::vector<FrameFile>> paired(FrameSequence left, FrameSequence right) {
  if (left.stamped && right.stamped) return paired_by_name(std::move(left), right);
  if (!left.numbered || !right.numbered) {
    if (left.frames.size() != right.frames.size()) {
      throw Error(
          fmt::format("{}: {} left pictures and {} right ones without numbers in their names cannot be paired: "
                      "name them left/%06d.png and right/%06d.png",
                      left.frames.front().path.parent_path().string(), left.frames.size(), right.frames.size()));
    }
    return {std::move(left), std::move(right.frames)};
  }
  std::map<long, const FrameFile*> lefts, rights;
  std::set<long> numbers;
  for (const FrameFile& frame : left.frames) lefts[frame.index] = &frame, numbers.insert(frame.index);
  for (const FrameFile& frame : right.frames) rights[frame.index] = &frame, numbers.insert(frame.index);

  FrameSequence both;
  both.numbered = true;
  std::vector<FrameFile> right_halves;
  // a missing half gets the name of the other side, in its own folder
  const auto half = [](const std::map<long, const FrameFile*>& side, long number, const FrameFile& other) {
    const auto found = side.find(number);
    if (found != side.end()) return *found->second;
    return FrameFile{number, 0, side.begin()->second->path.parent_path() / other.path.filename(), true};
  };
  for (long number : numbers) {
    const auto l = lefts.find(number), r = rights.find(number);
    both.frames.push_back(l != lefts.end() ? *l->second : half(lefts, number, *r->second));
    right_halves.push_back(half(rights, number, both.frames.back()));
  }
  return {std::move(both), std::move(right_halves)};
}

}  // namespace

std::unique_ptr<Recording> depth_recording(FrameSequence frames, const SourceCamera& camera,
                                           const Companions& companions) {
  return std::make_unique<DepthRecording>(std::move(frames), camera, companions);
}

std::unique_ptr<Recording> stereo_recording(FrameSequence left, FrameSequence right, const SourceCamera& camera,
                                            const Companions& companions, const RecordingSettings& settings) {
  auto [lefts, rights] = paired(std::move(left), std::move(right));
  return std::make_unique<StereoRecording>(std::move(lefts), std::move(rights), camera, companions, settings);
}

std::unique_ptr<Recording> cloud_recording(FrameSequence frames, const SourceCamera& camera,
                                           const Companions& companions) {
  return std::make_unique<CloudRecording>(std::move(frames), camera, companions);
}

}  // namespace kinema::io
