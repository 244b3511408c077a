#include "io/files/json_place.h"
#include "io/files/output_file.h"
#include "io/files/text.h"
#include "io/motion/poses.h"
#include "kinema/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace kinema::io {
namespace {

// Nine digits are nanometres at arm's length; more would be noise.
std::string rounded(double value) { return fmt::format("{:.9g}", value); }

// JSON has no infinity.
std::string number_or_null(double value) { return std::isfinite(value) ? exact_number(value) : "null"; }

bool finite(const Vec3& v) { return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z); }

void check_estimate(std::int64_t frame, const std::vector<std::string>& names, const body::Estimate& estimate) {
  const auto fail = [frame](const std::string& what) {
    throw Error(fmt::format("frame {}: {}", frame, what), Error::Cause::running);
  };
  if (estimate.joints.size() != names.size() || estimate.deviation.size() != names.size()) {
    fail(fmt::format("the estimate has {} joints and {} deviations where the skeleton has {} joints",
                     estimate.joints.size(), estimate.deviation.size(), names.size()));
  }
  for (std::size_t j = 0; j < names.size(); ++j) {
    if (!finite(estimate.joints[j]) || !std::isfinite(estimate.deviation[j])) {
      fail(fmt::format("the estimate of {} is not finite", names[j]));
    }
  }
  const auto& [position, rotation, angles] = estimate.pose;
  const auto unfit = [](double angle) { return !std::isfinite(angle); };
  if (!finite(position) || std::any_of(angles.begin(), angles.end(), unfit) ||
      !std::isfinite(rotation.w + rotation.x + rotation.y + rotation.z)) {
    fail("the pose of the estimate is not finite");
  }
}

std::string rounded_vector(const Vec3& v) {
  return fmt::format("[{},{},{}]", rounded(v.x), rounded(v.y), rounded(v.z));
}

// Empty where no face was seen.
std::string faces_text(const std::vector<body::FaceObservation>& faces) {
  std::string text;
  for (const body::FaceObservation& face : faces) {
    text += fmt::format("{}{{\"ray\":{},\"distance\":{},\"direction\":{},\"probability\":{}}}", text.empty() ? "" : ",",
                        rounded_vector(face.ray), rounded(face.distance), rounded_vector(face.direction),
                        rounded(face.probability));
  }
  return text.empty() ? "" : ",\"faces\":[" + text + "]";
}

// Empty where nothing is known of it.
std::string head_text(const body::Estimate& estimate) {
  if (!estimate.head_deviation) return "";
  const int head = estimate.skeleton->find("head");
  const Quaternion q = body::joint_rotations(*estimate.skeleton, estimate.pose)[static_cast<std::size_t>(head)];
  return fmt::format(",\"head\":{{\"rotation\":[{},{},{},{}],\"std\":{}}}", rounded(q.w), rounded(q.x), rounded(q.y),
                     rounded(q.z), rounded_vector(*estimate.head_deviation));
}

std::string json_line(const std::vector<std::string>& names, const body::Estimate& estimate, bool people) {
  std::string line = fmt::format("{{\"frame\":{},\"time\":{}", estimate.frame, exact_number(estimate.time));
  if (people) line += fmt::format(",\"person\":{}", estimate.found ? fmt::to_string(estimate.person) : "null");
  if (estimate.hidden) line += ",\"hidden\":true";
  if (!estimate.found) {
    line += ",\"joints\":null,\"std\":null,\"angles\":null,\"log_likelihood\":null,\"ess\":null";
    line += faces_text(estimate.faces);
    return line + fmt::format(",\"ms\":{},\"why\":{}}}\n", json_times(estimate.times), json_text(estimate.why));
  }
  std::string joints, deviations, angles;
  for (std::size_t j = 0; j < names.size(); ++j) {
    const char* comma = j > 0 ? "," : "";
    const Vec3& at = estimate.joints[j];
    joints += fmt::format("{}{}:{}", comma, json_text(names[j]), rounded_vector(at));
    deviations += fmt::format("{}{}:{}", comma, json_text(names[j]), rounded(estimate.deviation[j]));
  }
  for (double angle : estimate.pose.angles) angles += fmt::format("{}{:.9g}", angles.empty() ? "" : ",", angle);
  const Vec3& position = estimate.pose.position;
  const Quaternion& rotation = estimate.pose.rotation;
  line += fmt::format(",\"joints\":{{{}}},\"std\":{{{}}},\"angles\":[{}]", joints, deviations, angles);
  line += fmt::format(",\"position\":{},\"rotation\":[{},{},{},{}]", rounded_vector(position), rounded(rotation.w),
                      rounded(rotation.x), rounded(rotation.y), rounded(rotation.z));
  line += head_text(estimate) + faces_text(estimate.faces);
  line += fmt::format(",\"log_likelihood\":{},\"ess\":{},\"ms\":{}}}\n", number_or_null(estimate.log_likelihood),
                      number_or_null(estimate.effective_sample_size), json_times(estimate.times));
  return line;
}

std::string csv_header(const std::vector<std::string>& names, const std::vector<body::AnatomicalAngle>& angles,
                       bool people) {
  std::string line = people ? "frame,time,person" : "frame,time";
  for (const std::string& name : names) {
    for (const char* part : {"_x", "_y", "_z", "_std"}) line += fmt::format(",{}", csv_field(name + part));
  }
  for (const body::AnatomicalAngle& angle : angles) line += fmt::format(",{0},{0}_std", angle.name);
  return line + "\n";
}

std::string csv_row(const std::vector<std::string>& names, std::size_t angles, const body::Estimate& estimate,
                    bool people) {
  std::string line = fmt::format("{},{}", estimate.frame, exact_number(estimate.time));
  if (people) line += estimate.found ? fmt::format(",{}", estimate.person) : ",";
  for (std::size_t j = 0; j < names.size(); ++j) {
    if (!estimate.found) {
      line += ",,,,";
      continue;
    }
    const Vec3& at = estimate.joints[j];
    for (double number : {at.x, at.y, at.z, estimate.deviation[j]}) line += fmt::format(",{:.9g}", number);
  }
  constexpr double degrees = 180 / std::numbers::pi;
  for (std::size_t i = 0; i < angles; ++i) {
    if (!estimate.found || estimate.anatomical.size() != angles) {
      line += ",,";
      continue;
    }
    const body::AnatomicalAngle& angle = estimate.anatomical[i];
    line += fmt::format(",{:.6g},{:.6g}", degrees * angle.value, degrees * angle.deviation);
  }
  return line + "\n";
}

}  // namespace

struct PosesWriter::State {
  State(const std::filesystem::path& target, const body::Skeleton& skeleton, bool several)
      : names(output_names(skeleton)),
        angles(body::anatomical_angles(skeleton, body::rest_pose(skeleton))),
        csv(target.extension() == ".csv"),
        people(several),
        file(target, csv ? csv_header(names, angles, people) : "") {}

  std::vector<std::string> names;
  std::vector<body::AnatomicalAngle> angles;  // those of the table
  bool csv, people;
  RowFile file;
};

PosesWriter::PosesWriter(const std::filesystem::path& target, const body::Skeleton& skeleton, bool people)
    : state_(std::make_unique<State>(target, skeleton, people)) {}
PosesWriter::~PosesWriter() = default;
PosesWriter::PosesWriter(PosesWriter&&) noexcept = default;
PosesWriter& PosesWriter::operator=(PosesWriter&&) noexcept = default;

void PosesWriter::add(const body::Estimate& estimate) {
  State& state = *state_;
  if (!std::isfinite(estimate.time)) {
    throw Error(fmt::format("frame {}: its time is not finite", estimate.frame), Error::Cause::running);
  }
  if (estimate.found) check_estimate(estimate.frame, state.names, estimate);
  state.file.add(state.csv ? csv_row(state.names, state.angles.size(), estimate, state.people)
                           : json_line(state.names, estimate, state.people));
}

void PosesWriter::commit() { state_->file.commit(); }

}  // namespace kinema::io
