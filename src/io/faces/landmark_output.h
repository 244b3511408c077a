// landmarks.jsonl, one line per face of a frame, and the same as CSV and .pts; start.jsonl, which says where fits
// begin.
#pragma once

#include "io/files/output_file.h"
#include "kinema/face.h"
#include "kinema/head_pose.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kinema::io {

/// Writes one face at a time. The file appears at commit(); until then, and if the run ends early, the faces so far are
/// in TARGET.partial.
class LandmarkWriter {
public:
  /// CSV if the name ends in .csv (file,frame,quality,failure,x0,y0,..., and of 68 landmarks pose_columns()), otherwise JSON lines.
  LandmarkWriter(const std::filesystem::path& target, std::size_t landmarks);

  struct Line {
    std::int64_t frame = 0;
    std::string file;
    std::optional<double> time;            ///< seconds, in videos
    const face::Fit* fit = nullptr;        ///< nothing: no face was found
    std::string_view why = {};             ///< if no face was found
    int face = 0;                          ///< of several in a frame
    int person = 0;                        ///< the number of who is followed among several; 0: none
    const face::HeadPose* head = nullptr;  ///< nothing: unknown
  };
  void add(const Line& line);
  void commit() { file_.commit(); }

private:
  std::size_t landmarks_;
  bool csv_;
  RowFile file_;
};

/// Starts by the name of the image or, in a video, by frame.
class Starts {
public:
  /// Throws Error with file:line, the place and the remedy. A line has "file" or "frame", and "points" or "box"; lines
  /// of landmarks.jsonl qualify too. There must be as many points as the model's `landmarks`.
  Starts(const std::filesystem::path& path, std::size_t landmarks);

  /// By the file's name without its folder, or the frame's number. Nothing if there is none.
  const face::Start* find(const std::string& file, std::optional<std::int64_t> frame = std::nullopt) const;

  std::size_t size() const { return by_file_.size() + by_frame_.size(); }

private:
  std::map<std::string, face::Start> by_file_;
  std::map<std::int64_t, face::Start> by_frame_;
};

}  // namespace kinema::io
