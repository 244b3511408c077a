// The source of the body tracker: frames of depth or of points, from files and live cameras.
//
// A recording is a folder with a camera.json and one of depth/%06d.png (16 bits, 0: no measurement), left/ + right/
// (rectified pairs) or points/ (.npy .ply .pcd .xyz), and optionally colour/, background.png, skeleton.json and
// truth.jsonl. A folder of depth images or clouds, a printf pattern, files and videos are accepted too.
#pragma once

#include "kinema/camera.h"
#include "kinema/source.h"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kinema::io {

struct RecordingSettings {
  /// In place of the camera.json beside the frames: another one, or calibrations as stored by OpenCV (parts in several
  /// files). With the calibration of a pair the pictures are rectified first: by its R1 R2 P1 P2 or, without them, so
  /// that they show what both cameras see.
  std::vector<std::filesystem::path> camera_files;

  /// Above 0: in place of the camera file's value; required if the file has none.
  double fps = 0;
  double depth_scale = 0;  ///< metres per unit
  double baseline = 0;     ///< metres, of rectified pairs

  /// Metres per unit of T and P2 in an OpenCV calibration; 0.001 if its chessboard was measured in millimetres.
  double calibration_unit = 1;

  /// Read pictures for overlays: colour/ beside the frames, the files of this pattern, or the left pictures of pairs.
  bool colour = true;
  std::string colour_pattern;

  /// Seconds to wait for a live source that disappears to come back; 0: it ends there.
  double reconnect = 60;

  SourceWait wait = {};
};

/// What has been written of a live source while it is tracked.
struct CopyStatus {
  std::filesystem::path folder;
  std::size_t frames = 0;   ///< written
  std::size_t dropped = 0;  ///< not written: the disk or the processor is too slow
  std::string failed;       ///< why it ended early, such as a full disk; what was written is a whole recording
};

class Recording : public Source {
public:
  /// Writes all frames of a live source to a folder from now on, as `kinema record` does: also those that come too late
  /// to be returned. Throws Error if the source is not live, if it is being written already, or if the folder cannot be
  /// used.
  virtual void start_copy(const std::filesystem::path& folder);

  /// Writes no more, and waits for frames that are being written. Returns what was written; nothing without a copy.
  virtual std::optional<CopyStatus> end_copy() { return std::nullopt; }

  /// What has been written so far; nothing where no copy is being written.
  virtual std::optional<CopyStatus> copy() const { return std::nullopt; }

  /// The pinhole camera of the depth frames, after rectification; for clouds its width may be 0.
  const CameraFile& camera() const { return camera_; }

  /// Depth of the scene without the person, metres, as a frame's depth; empty if there is none.
  const std::vector<float>& background() const { return background_; }

  /// The skeleton.json and truth.jsonl of the folder; empty if there is none.
  const std::filesystem::path& skeleton() const { return skeleton_; }
  const std::filesystem::path& truth() const { return truth_; }

  /// True if frames hold points, false if they hold depth or pairs.
  bool holds_points() const { return holds_points_; }

  /// False if no frame has a colour picture, or they are not read (RecordingSettings::colour).
  virtual bool holds_pictures() const = 0;

  /// True if frames hold stereo pairs, of which a tracker computes depth, with the errors of disparities.
  bool from_pairs() const { return from_pairs_; }

protected:
  using Source::Source;

  void set_camera(CameraFile camera) {
    camera_ = std::move(camera);
    fps_ = camera_.fps;
  }

  CameraFile camera_;
  std::vector<float> background_;
  std::filesystem::path skeleton_, truth_;
  bool holds_points_ = false;
  bool from_pairs_ = false;
};

/// Opens a folder, a printf pattern (dir/%010d_depth.png), a file or several, or a source that `kinema cameras` lists
/// for the body; "left,right" names a stereo pair of patterns, files or videos. Throws Error if there are no frames,
/// none of them is usable, or the camera is missing or invalid.
std::unique_ptr<Recording> open_recording(const std::vector<std::string>& input,
                                          const RecordingSettings& settings = {});

}  // namespace kinema::io
