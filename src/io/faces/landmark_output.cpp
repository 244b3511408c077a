#include "io/faces/landmark_output.h"

#include "io/faces/pose_text.h"
#include "io/files/input_file.h"
#include "io/files/json_place.h"
#include "io/files/text.h"
#include "kinema/error.h"

#include <fmt/format.h>

#include <cmath>

namespace kinema::io {
namespace {

// No landmark is known to a hundredth of a pixel; three digits leave room.
std::string number(double value, int digits = 3) {
  if (!std::isfinite(value)) return "null";
  std::string text = fmt::format("{:.{}f}", value, digits);
  while (text.find('.') != std::string::npos && (text.back() == '0' || text.back() == '.')) {
    const bool dot = text.back() == '.';
    text.pop_back();
    if (dot) break;
  }
  return text == "-0" ? "0" : text;
}

std::string list(std::span<const float> values, int digits) {
  std::string text = "[";
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i > 0) text += ',';
    text += number(static_cast<double>(values[i]), digits);
  }
  return text + "]";
}

std::string json_line(const LandmarkWriter::Line& line) {
  std::string text = fmt::format("{{\"frame\":{},\"file\":{}", line.frame, json_text(line.file));
  if (line.time) text += fmt::format(",\"time\":{}", number(*line.time, 6));
  if (line.face > 0) text += fmt::format(",\"face\":{}", line.face);
  if (line.person > 0) text += fmt::format(",\"person\":{}", line.person);
  if (line.fit == nullptr) {  // with all members that readers may rely on
    text += ",\"points\":null,\"quality\":0,\"converged\":false,\"iterations\":0,\"ms\":0";
    return text + fmt::format(",\"why\":{}}}\n", json_text(line.why));
  }
  const face::Fit& fit = *line.fit;
  text += ",\"points\":[";
  for (std::size_t i = 0; i + 1 < fit.landmarks.size(); i += 2) {
    text += fmt::format("{}[{},{}]", i == 0 ? "" : ",", number(static_cast<double>(fit.landmarks[i])),
                        number(static_cast<double>(fit.landmarks[i + 1])));
  }
  text += fmt::format("],\"quality\":{},\"converged\":{},\"iterations\":{},\"ms\":{}", number(fit.quality, 4),
                      fit.converged ? "true" : "false", fit.iterations, number(fit.ms));
  text += fmt::format(",\"failure\":{},\"error\":{}", number(fit.failure, 4), number(fit.error, 6));
  if (!fit.confidence.empty()) text += ",\"confidence\":" + list(fit.confidence, 3);
  const face::Similarity& pose = fit.pose;
  text += fmt::format(",\"pose\":[{},{},{},{}]", number(pose.a, 4), number(pose.b, 4), number(pose.tx, 3),
                      number(pose.ty, 3));
  text += ",\"shape\":" + list(fit.shape, 5);
  if (!fit.combined.empty()) text += ",\"combined\":" + list(fit.combined, 5);
  if (line.head != nullptr) text += ",\"head\":" + pose_json(*line.head);
  return text + "}\n";
}

// A name, quoted if necessary.
std::string csv_text(const std::string& text) {
  if (text.find_first_of(",;\"\n\t") == std::string::npos) return text;
  std::string quoted = "\"";
  for (char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c == '\n' ? ' ' : c);
  return quoted + "\"";
}

std::string csv_header(std::size_t landmarks) {
  std::string header = "file,frame,face,quality,failure";
  for (std::size_t i = 0; i < landmarks; ++i) header += fmt::format(",x{0},y{0}", i);
  if (landmarks == face::HeadPoseSolver::landmarks) header += "," + pose_columns();
  return header + "\n";
}

std::string csv_line(const LandmarkWriter::Line& line, std::size_t landmarks) {
  std::string text =
      fmt::format("{},{},{}", csv_text(line.file), line.frame, line.person > 0 ? line.person : line.face);
  const std::string head = landmarks == face::HeadPoseSolver::landmarks ? "," + pose_values(line.head) : std::string();
  if (line.fit == nullptr) return text + std::string(2 + 2 * landmarks, ',') + head + "\n";
  text += fmt::format(",{},{}", number(line.fit->quality, 4), number(line.fit->failure, 4));
  for (float value : line.fit->landmarks) {
    text += ',';
    text += number(static_cast<double>(value));
  }
  return text + head + "\n";
}

}  // namespace

LandmarkWriter::LandmarkWriter(const std::filesystem::path& target, std::size_t landmarks)
    : landmarks_(landmarks), csv_(extension_of(target) == ".csv"), file_(target, csv_ ? csv_header(landmarks) : "") {}

void LandmarkWriter::add(const Line& line) { file_.add(csv_ ? csv_line(line, landmarks_) : json_line(line)); }

namespace {

face::Start start_of(const JsonPlace& line) {
  face::Start start;
  const auto box = line.find("box");
  if (const auto points = line.find("points"); points && !points->is_null()) {
    constexpr std::size_t most = 4096;
    for (const JsonPlace& point : points->elements(most)) {
      const std::vector<JsonPlace> pair = point.elements(2);
      if (pair.size() != 2) point.fail("has not two numbers [x, y]");
      for (const JsonPlace& value : pair) start.landmarks.push_back(static_cast<float>(value.number()));
    }
    if (start.landmarks.empty()) points->fail("holds no points");
  } else if (box) {
    const std::vector<JsonPlace> sides = box->elements(4);
    if (sides.size() != 4) box->fail("has not four numbers [x, y, width, height]");
    start.box = face::Start::Box{static_cast<float>(sides[0].number()), static_cast<float>(sides[1].number()),
                                 static_cast<float>(sides[2].number()), static_cast<float>(sides[3].number()), false};
    if (!(start.box->width > 0) || !(start.box->height > 0)) box->fail("has no extent: width and height are above 0");
    if (const auto detector = line.find("detector")) start.box->detector = detector->value() == true;
  } else {
    line.fail("has neither \"points\": [[x, y], ...] nor \"box\": [x, y, width, height]");
  }
  return start;
}

}  // namespace

Starts::Starts(const std::filesystem::path& path, std::size_t landmarks) {
  constexpr std::size_t largest = std::size_t{1} << 30;
  const std::string text = naming(path, [&] { return InputFile(path).rest(largest); });
  TextReader lines(text);
  while (const auto line = lines.line()) {
    if (line->find_first_not_of(" \t") == std::string_view::npos) continue;
    try {
      const nlohmann::json json = parse_json(*line);
      const JsonPlace place(json);
      // a frame of landmarks.jsonl without a face gives no start
      if (const auto points = place.find("points"); points && points->is_null()) continue;
      const auto file = place.find("file"), frame = place.find("frame");
      if (!file && !frame) place.fail("has neither \"file\" nor \"frame\": which picture is meant?");
      face::Start start = start_of(place);
      if (const std::size_t count = start.landmarks.size() / 2; count > 0 && count != landmarks) {
        place.member("points").fail(fmt::format("holds {} landmarks, but the model has {}", count, landmarks));
      }
      if (file) by_file_.emplace(std::filesystem::path(file->text()).filename().string(), start);
      if (frame) by_frame_.emplace(frame->whole_number(), std::move(start));
    } catch (const Error& error) {
      throw Error(fmt::format("{}:{}: {}", path.string(), lines.line_number(), error.what()), error.cause());
    }
  }
  if (by_file_.empty() && by_frame_.empty())
    throw about(path, Error("holds no start: a line is {\"file\": ..., \"box\": [x, y, width, height]}"));
}

const face::Start* Starts::find(const std::string& file, std::optional<std::int64_t> frame) const {
  if (frame) {
    const auto found = by_frame_.find(*frame);
    return found == by_frame_.end() ? nullptr : &found->second;
  }
  const auto found = by_file_.find(std::filesystem::path(file).filename().string());
  return found == by_file_.end() ? nullptr : &found->second;
}

}  // namespace kinema::io
