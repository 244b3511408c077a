#include "kinema/recording.h"

#include "io/cameras/source_camera.h"
#include "io/files/frame_files.h"
#include "io/files/input_file.h"
#include "io/pictures/video_capture.h"
#include "io/recordings/raw_recording.h"
#include "io/recordings/recording_kinds.h"
#include "io/sources/source_schemes.h"
#include "kinema/error.h"

#include <fmt/format.h>

#include <cmath>
#include <system_error>
#include <utility>

namespace kinema::io {

void Recording::start_copy(const std::filesystem::path&) {
  throw Error("only a live source can be recorded while it is tracked");
}
namespace fs = std::filesystem;
namespace {

fs::path folder_of(const fs::path& path) { return path.has_parent_path() ? path.parent_path() : fs::path("."); }

bool timed(const FrameSequence& sequence) { return sequence.frames.size() > 1 && !sequence.stamped; }

ImageSize first_size(const FrameSequence& sequence, bool depth) {
  for (const FrameFile& file : sequence.frames) {
    if (file.missing) continue;
    try {
      if (depth) {
        const DepthImage image = read_depth_image(file.path);
        return {image.width, image.height};
      }
      const Picture picture = read_picture(file.path);
      return {picture.width, picture.height};
    } catch (const Error&) {
      // another file may give it; if none does, the frames are refused
    }
  }
  return {};
}

void need_frames(const FrameSequence& sequence, const fs::path& folder, const char* what) {
  if (sequence.frames.empty()) throw about(folder, Error(fmt::format("holds no {}", what)));
}

Companions companions_in(const fs::path& folder, const RecordingSettings& settings) {
  Companions companions;
  if (!folder.empty()) {
    const auto take = [&](const char* name) { return is_there(folder / name) ? folder / name : fs::path(); };
    companions.background = take("background.png");
    companions.skeleton = take("skeleton.json");
    companions.truth = take("truth.jsonl");
  }
  if (!settings.colour) return companions;
  if (!settings.colour_pattern.empty()) {
    companions.colour = list_pattern(settings.colour_pattern);
  } else if (!folder.empty() && is_folder(folder / "colour")) {
    companions.colour = list_folder(folder / "colour", FileKind::picture);
  }
  return companions;
}

std::unique_ptr<Recording> open_depth(FrameSequence frames, const std::string& name, std::vector<fs::path> folders,
                                      const Companions& companions, const RecordingSettings& settings) {
  CameraSearch search{CameraUse::depth, std::move(folders), name, timed(frames), false, {}};
  search.size_of_frames = [&] { return first_size(frames, true); };
  const SourceCamera camera = find_camera(search, settings);
  return depth_recording(std::move(frames), camera, companions);
}

std::unique_ptr<Recording> open_stereo(FrameSequence left, FrameSequence right, const std::string& name,
                                       std::vector<fs::path> folders, const Companions& companions,
                                       const RecordingSettings& settings) {
  CameraSearch search{CameraUse::stereo, std::move(folders), name, timed(left), false, {}};
  search.size_of_frames = [&] { return first_size(left, false); };
  const SourceCamera camera = find_camera(search, settings);
  return stereo_recording(std::move(left), std::move(right), camera, companions, settings);
}

std::unique_ptr<Recording> open_clouds(FrameSequence frames, const std::string& name, std::vector<fs::path> folders,
                                       bool optional, const Companions& companions, const RecordingSettings& settings) {
  const CameraSearch search{CameraUse::clouds, std::move(folders), name, timed(frames), optional, {}};
  const SourceCamera camera = find_camera(search, settings);
  return cloud_recording(std::move(frames), camera, companions);
}

std::unique_ptr<Recording> open_folder(const fs::path& folder, const RecordingSettings& settings) {
  const fs::path depth = folder / "depth", left = folder / "left", right = folder / "right", points = folder / "points";
  const bool has_depth = is_folder(depth), has_pairs = is_folder(left) || is_folder(right),
             has_points = is_folder(points);
  if (has_depth + has_pairs + has_points > 1) {
    throw about(folder, Error("holds more than one of depth/, left/ with right/, and points/: keep one, or name its "
                              "files by a pattern such as depth/%06d.png"));
  }
  const std::string name = folder.string();
  const Companions companions = companions_in(folder, settings);
  if (has_depth) {
    FrameSequence frames = list_folder(depth, FileKind::picture, true);
    need_frames(frames, depth, "depth image: write depth/%06d.png of 16 bits");
    return open_depth(std::move(frames), name, {folder}, companions, settings);
  }
  if (has_pairs) {
    if (!is_folder(left)) throw about(folder, Error("has a right/ and no left/ for the other half of its pairs"));
    if (!is_folder(right)) throw about(folder, Error("has a left/ and no right/ for the other half of its pairs"));
    FrameSequence lefts = list_folder(left, FileKind::picture), rights = list_folder(right, FileKind::picture);
    need_frames(lefts, left, "picture");
    need_frames(rights, right, "picture");
    return open_stereo(std::move(lefts), std::move(rights), name, {folder}, companions, settings);
  }
  if (has_points) {
    FrameSequence frames = list_folder(points, FileKind::cloud);
    need_frames(frames, points, "point cloud: write points/%06d.npy (or .ply, .pcd, .xyz)");
    return open_clouds(std::move(frames), name, {folder}, false, companions, settings);
  }

  // not a recording: a folder of frames, whose camera may lie beside it
  FrameSequence clouds = list_folder(folder, FileKind::cloud);
  if (!clouds.frames.empty()) {
    return open_clouds(std::move(clouds), name, {folder, folder_of(folder)}, true, companions, settings);
  }
  FrameSequence images = list_folder(folder, FileKind::picture, true, "background.png");
  need_frames(images, folder,
              "frames: neither depth/, left/ with right/ or points/ as a recording, nor depth images or clouds");
  return open_depth(std::move(images), name, {folder, folder_of(folder)}, companions, settings);
}

std::unique_ptr<Recording> open_videos(const std::vector<fs::path>& videos, const RecordingSettings& settings) {
  const std::string name = videos.front().string();
  const bool pair = videos.size() == 2;
  // a single video holds pairs if its camera has a baseline, otherwise depth
  bool stereo = pair || settings.baseline > 0;
  const fs::path folder = folder_of(videos.front());
  if (!stereo && !settings.camera_files.empty() && !is_camera_json(settings.camera_files.front())) {
    stereo = read_calibration(settings.camera_files).right.has_value();
  } else if (!stereo) {
    const fs::path path = settings.camera_files.empty() ? folder / "camera.json" : settings.camera_files.front();
    if (is_there(path)) stereo = read_camera_json(path, CameraUse::clouds, {{}, 1, 0, 0, {}}).baseline > 0;
  }
  if (!stereo)
    const VideoFile refused_if_colour(videos.front(), VideoFile::Content::depth);  // before its camera is missed
  CameraSearch search{stereo ? CameraUse::stereo : CameraUse::depth, {folder}, name, false, false, {}};
  search.size_of_frames = [&]() -> ImageSize {
    const VideoFile video(videos.front(), stereo ? VideoFile::Content::colour : VideoFile::Content::depth);
    return {stereo && !pair ? video.width() / 2 : video.width(), video.height()};
  };
  return video_recording(videos, find_camera(search, settings), settings);
}

// The files named by one word of the input, and their kind.
struct Named {
  FrameSequence sequence;
  FileKind kind = FileKind::other;
};

Named named(const std::vector<std::string>& words) {
  Named result;
  if (words.size() == 1 && is_pattern(words.front()) && !is_there(words.front())) {
    result.sequence = list_pattern(words.front());
  } else {
    result.sequence = list_files({words.begin(), words.end()});
  }
  for (const FrameFile& file : result.sequence.frames) {
    if (is_folder(file.path)) throw about(file.path, Error("is a folder: give it alone"));
    const FileKind kind = kind_of(file.path);
    if (kind == FileKind::other) {
      throw about(file.path,
                  Error("is not a source of frames by its name: kinema reads depth images (.png .tiff .pgm), "
                        "clouds (.npy .ply .pcd .xyz) and videos (.mp4 .avi .mkv)"));
    }
    if (result.kind != FileKind::other && result.kind != kind) {
      throw about(file.path, Error("is of another kind than the files before it"));
    }
    result.kind = kind;
  }
  return result;
}

void check_settings(const RecordingSettings& settings) {
  for (const auto& [name, value] : {std::pair{"fps", settings.fps},
                                    {"depth scale", settings.depth_scale},
                                    {"baseline", settings.baseline},
                                    {"calibration unit", settings.calibration_unit},
                                    {"time to reconnect", settings.reconnect}}) {
    if (!std::isfinite(value) || value < 0) throw Error(fmt::format("a {} of {}: it must be above 0", name, value));
  }
}

}  // namespace

std::unique_ptr<Recording> open_recording(const std::vector<std::string>& input, const RecordingSettings& settings) {
  check_settings(settings);
  if (input.empty() || input.front().empty())
    throw Error("no input was given: name a recording's folder, or its files");
  const std::string& first = input.front();
  if (input.size() == 1 && is_folder(first)) return open_folder(first, settings);
  if (input.size() == 1) {
    if (const auto opener = source_opener(first, settings, SourceUse::body)) return open_raw(*opener, settings);
  }

  // "left,right", once or per pair
  std::vector<std::string> lefts, rights;
  for (const std::string& word : input) {
    const std::size_t comma = word.find(',');
    if (comma == std::string::npos || is_there(word)) break;
    lefts.push_back(word.substr(0, comma));
    rights.push_back(word.substr(comma + 1));
  }
  const fs::path folder = folder_of(lefts.empty() ? first : lefts.front());
  const Companions companions = companions_in({}, settings);
  if (!lefts.empty()) {
    if (lefts.size() != input.size())
      throw Error(fmt::format("{}: pairs and single files are mixed", input[lefts.size()]));
    Named left = named(lefts), right = named(rights);
    if (left.kind != right.kind || left.kind == FileKind::cloud) {
      throw Error(fmt::format("{}: is not a pair of pictures or videos", first));
    }
    if (left.kind == FileKind::picture) {
      return open_stereo(std::move(left.sequence), std::move(right.sequence), first, {folder, folder_of(folder)},
                         companions, settings);
    }
    if (lefts.size() > 1) throw Error(fmt::format("{}: one video at a time, or one pair", first));
    return open_videos({lefts.front(), rights.front()}, settings);
  }

  Named files = named(input);
  switch (files.kind) {
    case FileKind::picture:
      return open_depth(std::move(files.sequence), first, {folder, folder_of(folder)}, companions, settings);
    case FileKind::cloud:
      return open_clouds(std::move(files.sequence), first, {folder, folder_of(folder)}, true, companions, settings);
    default:
      if (input.size() > 1) {
        throw Error(fmt::format("{}: one video at a time, or a pair as in left.mp4,right.mp4", first));
      }
      return open_videos({first}, settings);
  }
}

}  // namespace kinema::io
