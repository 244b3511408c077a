// The estimates of the head and the person tracker, a row per frame as a table or as JSON lines. See docs/head.md and
// docs/track.md.
#pragma once

#include "io/files/output_file.h"
#include "kinema/head_tracker.h"
#include "kinema/person_tracker.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace kinema::io {

/// frame,time,x,y,area,distance,X,Y,Z,score,found: unknown values stay empty. A frame without a head has a row too. By
/// file extension: .jsonl gives JSON lines, anything else a table.
class HeadWriter {
public:
  explicit HeadWriter(const std::filesystem::path& target);

  /// Rows reach the disk as they come, so that a killed run leaves them behind.
  void add(std::int64_t frame, double time, const head::Estimate& estimate);
  void commit() { file_.commit(); }

private:
  bool lines_;
  RowFile file_;
};

/// A row of a truth file: the box around the head, in pixels counted from 0.
struct HeadBox {
  double x = 0, y = 0, width = 0, height = 0;

  /// Pixel coordinates are those of pixel centres: a box of one pixel at 0 has its centre at 0.
  double cx() const { return x + (width - 1) / 2; }
  double cy() const { return y + (height - 1) / 2; }
};

/// Lines of x,y,w,h (commas, blanks or tabs), one per frame in order; corners count from `first` (1, as in tracking
/// benchmarks). Throws Error with the line.
std::vector<HeadBox> read_boxes(const std::filesystem::path& path, double first = 1);

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
