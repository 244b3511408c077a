#include "io/faces/person_table.h"

#include "io/faces/pose_text.h"
#include "io/files/input_file.h"
#include "io/files/json_place.h"

#include <fmt/format.h>

namespace kinema::io {
namespace {

const face::HeadPose* pose_of(const person::Estimate& estimate) {
  return estimate.found && estimate.pose ? &*estimate.pose : nullptr;
}

std::string csv_row(std::int64_t frame, double time, const person::Estimate& estimate) {
  std::string row = fmt::format("{},{},{:d},{:d},{:d},{:.4f}", frame, exact_number(time), estimate.found, estimate.face,
                                estimate.colours, estimate.confidence);
  row += estimate.found ? fmt::format(",{:.3f},{:.3f},", estimate.x, estimate.y) : ",,,";
  return row + pose_values(pose_of(estimate)) + "\n";
}

std::string json_line(std::int64_t frame, double time, const person::Estimate& estimate) {
  std::string line =
      fmt::format("{{\"frame\":{},\"time\":{},\"found\":{},\"face\":{},\"colours\":{},\"score\":{:.4f}", frame,
                  exact_number(time), estimate.found, estimate.face, estimate.colours, estimate.confidence);
  if (!estimate.found) {
    line += fmt::format(",\"why\":{}", json_text(estimate.why));
  } else {
    const head::Oval& oval = estimate.oval;
    line += fmt::format(",\"x\":{:.3f},\"y\":{:.3f},\"oval\":[{:.3f},{:.3f},{:.3f},{:.3f}]", estimate.x, estimate.y,
                        oval.cx, oval.cy, oval.rx, oval.ry);
    if (estimate.pose) line += ",\"head\":" + pose_json(*estimate.pose);
    if (!estimate.landmarks.empty()) {
      line += ",\"points\":[";
      for (std::size_t i = 0; i + 1 < estimate.landmarks.size(); i += 2) {
        line += fmt::format("{}[{:.2f},{:.2f}]", i == 0 ? "" : ",", estimate.landmarks[i], estimate.landmarks[i + 1]);
      }
      line += "]";
    }
  }
  return line + fmt::format(",\"ms\":{}}}\n", json_times(estimate.times));
}

}  // namespace

PersonWriter::PersonWriter(const std::filesystem::path& target)
    : table_(extension_of(target) == ".csv"),
      file_(target, table_ ? "frame,time,found,face,colours,score,x,y," + pose_columns() + "\n" : "") {}

void PersonWriter::add(std::int64_t frame, double time, const person::Estimate& estimate) {
  file_.add(table_ ? csv_row(frame, time, estimate) : json_line(frame, time, estimate));
}

}  // namespace kinema::io
