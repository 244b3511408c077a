#include "io/faces/head_table.h"

#include "io/faces/pose_text.h"
#include "io/files/input_file.h"
#include "io/files/json_place.h"
#include "io/files/text.h"
#include "kinema/error.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>

namespace kinema::io {
namespace {

std::string csv_row(std::int64_t frame, double time, const head::Estimate& estimate) {
  std::string row = fmt::format("{},{}", frame, exact_number(time));
  if (!estimate.found) return row + fmt::format(",,,,,,,,{:.4f},0\n", estimate.confidence);
  row += fmt::format(",{:.4f},{:.4f},{:.8g}", estimate.x, estimate.y, estimate.area);
  row += estimate.distance ? fmt::format(",{:.6f}", *estimate.distance) : ",";
  row += estimate.position
             ? fmt::format(",{:.6f},{:.6f},{:.6f}", estimate.position->x, estimate.position->y, estimate.position->z)
             : ",,,";
  return row + fmt::format(",{:.4f},1\n", estimate.confidence);
}

std::string json_line(std::int64_t frame, double time, const head::Estimate& estimate) {
  std::string line = fmt::format("{{\"frame\":{},\"time\":{},\"found\":{},\"score\":{:.4f}", frame, exact_number(time),
                                 estimate.found, estimate.confidence);
  if (!estimate.found) {
    line += fmt::format(",\"x\":null,\"y\":null,\"area\":null,\"why\":{}", json_text(estimate.why));
  } else {
    line += fmt::format(",\"x\":{:.4f},\"y\":{:.4f},\"area\":{:.8g}", estimate.x, estimate.y, estimate.area);
    if (estimate.distance) line += fmt::format(",\"distance\":{:.6f}", *estimate.distance);
    if (estimate.position) {
      line += fmt::format(",\"position\":[{:.6f},{:.6f},{:.6f}]", estimate.position->x, estimate.position->y,
                          estimate.position->z);
    }
    if (estimate.oval) {
      line += fmt::format(",\"oval\":[{:.3f},{:.3f},{:.3f},{:.3f}]", estimate.oval->cx, estimate.oval->cy,
                          estimate.oval->rx, estimate.oval->ry);
    }
  }
  return line + fmt::format(",\"ms\":{}}}\n", json_times(estimate.times));
}

// The numbers of a line, separated by commas, blanks and tabs.
std::vector<double> numbers_of(std::string_view line) {
  std::vector<double> numbers;
  for (std::size_t at = 0; at < line.size();) {
    if (line[at] == ',' || line[at] == ' ' || line[at] == '\t' || line[at] == '\r') {
      ++at;
      continue;
    }
    double value = 0;
    const auto [end, error] = std::from_chars(line.data() + at, line.data() + line.size(), value);
    if (error != std::errc{} || !std::isfinite(value)) {
      throw Error(fmt::format("'{}' is not a number: write x,y,w,h", printable(line.substr(at), 16)));
    }
    numbers.push_back(value);
    at = static_cast<std::size_t>(end - line.data());
  }
  return numbers;
}

}  // namespace

HeadWriter::HeadWriter(const std::filesystem::path& target)
    : lines_(extension_of(target) == ".jsonl"),
      file_(target, lines_ ? "" : "frame,time,x,y,area,distance,X,Y,Z,score,found\n") {}

void HeadWriter::add(std::int64_t frame, double time, const head::Estimate& estimate) {
  file_.add(lines_ ? json_line(frame, time, estimate) : csv_row(frame, time, estimate));
}

std::vector<HeadBox> read_boxes(const std::filesystem::path& path, double first) {
  return naming(path, [&] {
    const std::string text = read_bytes(path);
    std::vector<HeadBox> boxes;
    std::size_t number = 0;
    for (std::string_view rest = text; !rest.empty();) {
      const std::string_view line = take_line(rest);
      ++number;
      naming(fmt::format("line {}", number), [&] {
        const std::vector<double> values = numbers_of(line);
        if (values.empty()) return;
        if (values.size() != 4) throw Error(fmt::format("has {} numbers: write x,y,w,h", values.size()));
        if (!(values[2] > 0 && values[3] > 0)) throw Error("has a box without extent: w and h are above 0");
        boxes.push_back({values[0] - first, values[1] - first, values[2], values[3]});
      });
    }
    if (boxes.empty()) throw Error("holds no box: write a line x,y,w,h for each frame");
    return boxes;
  });
}

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
