#include "app/body/evaluation.h"

#include "app/body/joint_errors.h"
#include "bench/statistics.h"
#include "kinema/anatomical_angles.h"
#include "kinema/error.h"
#include "kinema/skeleton.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numbers>
#include <numeric>
#include <string_view>

namespace kinema::app {
namespace {

using Flexions = std::array<std::optional<double>, body::flexion_names.size()>;

Flexions flexions_of(const CommonJoints& joints) {
  std::array<std::optional<Vec3>, common_count> places;
  for (std::size_t j = 0; j < common_count; ++j) {
    if (joints[j] != nullptr) places[j] = joints[j]->position;
  }
  return body::flexions(places);
}

// In degrees, the shorter way round.
double angle_between(double a, double b) {
  return std::abs(std::remainder(a - b, 2 * std::numbers::pi)) * 180 / std::numbers::pi;
}

AngleErrors summary(const std::vector<double>& degrees) {
  if (degrees.empty()) return {};
  return {degrees.size(), std::accumulate(degrees.begin(), degrees.end(), 0.0) / static_cast<double>(degrees.size()),
          bench::quantile(degrees, 0.5), bench::quantile(degrees, 0.95)};
}

bool all_have_frames(const PoseFile& file) {
  return std::all_of(file.lines.begin(), file.lines.end(), [](const auto& line) { return line.frame.has_value(); });
}

void need_times(const PoseFile& file, const PoseFile& other) {
  for (const io::PoseLine& line : file.lines) {
    if (line.time) continue;
    throw Error(
        fmt::format("{}:{}: has no \"time\", by which frames are matched since {} has lines without \"frame\": "
                    "give every line of both files one of the two",
                    file.name, line.line, all_have_frames(file) ? other.name : file.name));
  }
}

// Half the usual step between frames of the truth: times closer than that denote the same frame.
double time_tolerance(const std::vector<const io::PoseLine*>& truth) {
  std::vector<double> steps;
  for (std::size_t i = 1; i < truth.size(); ++i) steps.push_back(*truth[i]->time - *truth[i - 1]->time);
  return steps.empty() ? 0.5 : bench::quantile(steps, 0.5) / 2;
}

// For each line of truth the line of poses of the same frame, or none.
std::vector<const io::PoseLine*> match(const PoseFile& poses, const std::vector<const io::PoseLine*>& truth,
                                       bool by_time) {
  std::vector<const io::PoseLine*> matched(truth.size(), nullptr);
  if (!by_time) {
    std::map<std::int64_t, const io::PoseLine*> frames;
    for (const io::PoseLine& line : poses.lines) frames[*line.frame] = &line;
    for (std::size_t i = 0; i < truth.size(); ++i) {
      if (const auto at = frames.find(*truth[i]->frame); at != frames.end()) matched[i] = at->second;
    }
    return matched;
  }
  // each pose goes to the nearest truth, and of several the nearest is kept
  const double tolerance = time_tolerance(truth);
  for (const io::PoseLine& line : poses.lines) {
    const auto distance = [&](std::size_t i, const io::PoseLine& pose) {
      return std::abs(*pose.time - *truth[i]->time);
    };
    const auto after = std::lower_bound(truth.begin(), truth.end(), *line.time,
                                        [](const io::PoseLine* t, double time) { return *t->time < time; });
    auto i = static_cast<std::size_t>(after - truth.begin());
    if (i == truth.size() || (i > 0 && distance(i - 1, line) <= distance(i, line))) --i;
    if (distance(i, line) > tolerance || (matched[i] && distance(i, *matched[i]) <= distance(i, line))) continue;
    matched[i] = &line;
  }
  return matched;
}

std::vector<const io::PoseLine*> known_truth(const PoseFile& truth, bool by_time) {
  std::vector<const io::PoseLine*> known;
  for (const io::PoseLine& line : truth.lines) {
    const CommonJoints joints = common_joints_of(truth, line);
    if (std::any_of(joints.begin(), joints.end(), [](const auto* joint) { return joint != nullptr; })) {
      known.push_back(&line);
    }
  }
  std::stable_sort(known.begin(), known.end(), [by_time](const io::PoseLine* a, const io::PoseLine* b) {
    return by_time ? *a->time < *b->time : *a->frame < *b->frame;
  });
  return known;
}

void need_something(const PoseFile& poses, const PoseFile& truth) {
  for (const PoseFile* file : {&poses, &truth}) {
    if (file->lines.empty()) throw Error(fmt::format("{}: holds no frame: is it the right file?", file->name));
  }
}

void need_common_joint(const PoseFile& poses, const PoseFile& truth, bool found) {
  if (found) return;
  throw Error(fmt::format("{}: shares no joint with {}: name joints as docs/poses.md lists them, or as BVH files do",
                          poses.name, truth.name));
}

}  // namespace

Evaluation evaluate(const PoseFile& poses, const PoseFile& truth) {
  need_something(poses, truth);
  Evaluation result;
  result.by_time = !all_have_frames(poses) || !all_have_frames(truth);
  if (result.by_time) {
    need_times(poses, truth);
    need_times(truth, poses);
  }
  const std::vector<const io::PoseLine*> known = known_truth(truth, result.by_time);
  if (known.empty()) throw Error(fmt::format("{}: has no frame with a joint that is known by name", truth.name));
  const std::vector<const io::PoseLine*> matched = match(poses, known, result.by_time);
  const auto hits = static_cast<std::size_t>(
      std::count_if(matched.begin(), matched.end(), [](const auto* line) { return line != nullptr; }));
  if (hits == 0) {
    throw Error(fmt::format("{}: has no frame in common with {}: do both belong to the same recording?", poses.name,
                            truth.name));
  }

  std::array<std::vector<Sample>, common_count> samples;
  std::array<std::vector<double>, body::flexion_names.size()> degrees;
  std::array<std::size_t, common_count> expected{}, missing{};
  std::size_t gap = 0, found_frames = 0;
  for (std::size_t i = 0; i < known.size(); ++i) {
    const CommonJoints wanted = common_joints_of(truth, *known[i]);
    const bool found = matched[i] != nullptr && matched[i]->found;
    const CommonJoints given = found ? common_joints_of(poses, *matched[i]) : CommonJoints{};
    found_frames += found ? 1 : 0;
    FrameEvaluation frame{known[i]->frame, known[i]->time, 0, 0, 0, ""};
    for (std::size_t j = 0; j < common_count; ++j) {
      if (wanted[j] == nullptr) continue;
      ++expected[j];
      if (found && given[j] == nullptr) ++missing[j];
      if (given[j] == nullptr) continue;
      samples[j].push_back(compare(*given[j], *wanted[j]));
      const double error = samples[j].back().error_mm;
      if (!samples[j].back().normalised) ++result.without_deviation;
      frame.mean_mm += (error - frame.mean_mm) / static_cast<double>(++frame.joints);
      if (error >= frame.worst_mm) {
        frame.worst_mm = error;
        frame.worst_joint = body::common_joints[j];
      }
    }
    const Flexions wanted_angles = flexions_of(wanted), given_angles = flexions_of(given);
    for (std::size_t a = 0; a < degrees.size(); ++a) {
      if (wanted_angles[a] && given_angles[a]) degrees[a].push_back(angle_between(*wanted_angles[a], *given_angles[a]));
    }
    gap = frame.joints > 0 ? 0 : gap + 1;
    result.longest_gap = std::max(result.longest_gap, gap);
    ++(frame.joints > 0 ? result.compared_frames : result.missing_frames);
    result.frames.push_back(std::move(frame));
  }
  need_common_joint(poses, truth, result.compared_frames > 0 || found_frames == 0);

  std::vector<Sample> all;
  std::size_t expected_joints = 0;
  for (std::size_t j = 0; j < common_count; ++j) {
    if (expected[j] == 0) continue;
    result.joints.push_back({std::string(body::common_joints[j]), summary(samples[j]), missing[j]});
    all.insert(all.end(), samples[j].begin(), samples[j].end());
    expected_joints += expected[j];
  }
  result.all = summary(all);
  std::vector<double> all_degrees;
  for (std::size_t a = 0; a < degrees.size(); ++a) {
    if (!degrees[a].empty()) result.angles.push_back({std::string(body::flexion_names[a]), summary(degrees[a])});
    all_degrees.insert(all_degrees.end(), degrees[a].begin(), degrees[a].end());
  }
  result.all_angles = summary(all_degrees);
  result.within_100mm_of_truth =
      result.all.within_100mm * static_cast<double>(all.size()) / static_cast<double>(expected_joints);
  result.truth_frames = known.size();
  result.extra_frames = poses.lines.size() - hits;
  return result;
}

std::string verdict(double normalised_error) {
  if (normalised_error > 2) return "too sure";
  return normalised_error < 0.5 ? "too careful" : "honest";
}

}  // namespace kinema::app
