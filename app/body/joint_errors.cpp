#include "app/body/joint_errors.h"

#include "bench/statistics.h"
#include "kinema/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string_view>

namespace kinema::app {
namespace {

std::size_t common_index(std::string_view name) {
  const std::string_view common = body::common_joint(name);
  return static_cast<std::size_t>(std::find(body::common_joints.begin(), body::common_joints.end(), common) -
                                  body::common_joints.begin());
}

// Metres; smaller values state no deviation, and would only cause divisions by 0.
constexpr double smallest_deviation = 1e-9;

}  // namespace

// A line's joints by their common names. A common name itself wins over an alias; between two aliases there is no
// guess.
CommonJoints common_joints_of(const PoseFile& file, const io::PoseLine& line) {
  CommonJoints found{};
  const auto exact = [](const io::NamedJoint& joint) { return body::common_joint(joint.name) == joint.name; };
  for (const io::NamedJoint& joint : line.joints) {
    const std::size_t index = common_index(joint.name);
    if (index == common_count) continue;
    if (found[index] != nullptr && !exact(joint) && !exact(*found[index])) {
      throw Error(fmt::format("{}:{}: /joints: \"{}\" and \"{}\" both stand for {}: rename one of them {}", file.name,
                              line.line, found[index]->name, joint.name, body::common_joints[index],
                              body::common_joints[index]));
    }
    if (found[index] == nullptr || exact(joint)) found[index] = &joint;
  }
  return found;
}

ErrorSummary summary(const std::vector<Sample>& samples) {
  ErrorSummary result;
  result.count = samples.size();
  if (samples.empty()) return result;
  std::vector<double> errors;
  double normalised = 0;
  std::size_t stated = 0;
  for (const Sample& sample : samples) {
    errors.push_back(sample.error_mm);
    if (!sample.normalised) continue;
    normalised += *sample.normalised;
    ++stated;
  }
  const auto count = static_cast<double>(errors.size());
  result.mean_mm = std::accumulate(errors.begin(), errors.end(), 0.0) / count;
  result.median_mm = bench::quantile(errors, 0.5);
  result.p95_mm = bench::quantile(errors, 0.95);
  const auto within = std::count_if(errors.begin(), errors.end(), [](double error) { return error <= 100; });
  result.within_100mm = static_cast<double>(within) / count;
  if (stated > 0) result.normalised_error = normalised / static_cast<double>(stated);
  return result;
}

Sample compare(const io::NamedJoint& pose, const io::NamedJoint& truth) {
  const double distance = std::hypot(pose.position.x - truth.position.x, pose.position.y - truth.position.y,
                                     pose.position.z - truth.position.z);
  Sample sample{1000 * distance, std::nullopt};
  if (pose.deviation && *pose.deviation > smallest_deviation) {
    const double ratio = distance / *pose.deviation;
    sample.normalised = ratio * ratio / 3;
  }
  return sample;
}

}  // namespace kinema::app
