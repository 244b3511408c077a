// The estimates of the person tracker, a row per frame as a table or as JSON lines. See docs/track.md.
#pragma once

#include "io/files/output_file.h"
#include "kinema/person_tracker.h"

#include <cstdint>
#include <filesystem>

namespace kinema::io {

/// By file extension: .csv gives frame,time,found,face,colours,score,x,y and pose_columns(), anything else JSON lines.
/// Unknown values stay empty. A frame without a person has a row too.
class PersonWriter {
public:
  explicit PersonWriter(const std::filesystem::path& target);

  /// Rows reach the disk as they come, so that a killed run leaves them behind.
  void add(std::int64_t frame, double time, const person::Estimate& estimate);
  void commit() { file_.commit(); }

private:
  bool table_;
  RowFile file_;
};

}  // namespace kinema::io
