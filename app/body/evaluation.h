// Poses compared with the truth: the error of each joint, how often nobody was found, and whether the stated deviations
// are calibrated.
#pragma once

#include "io/motion/poses.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kinema::app {

/// Distances between estimate and truth in millimetres. All 0 if count is 0.
struct ErrorSummary {
  std::size_t count = 0;
  double mean_mm = 0, median_mm = 0, p95_mm = 0;
  double within_100mm = 0;  ///< share, 0 to 1

  /// Mean of |e|^2 / (3 std^2), std along each axis: 1 if stated deviations are right, 4 if errors are twice as large
  /// as stated. Nothing if no deviation above 0 was stated.
  std::optional<double> normalised_error;
};

struct JointEvaluation {
  std::string name;  ///< the common one
  ErrorSummary error;
  std::size_t missing = 0;  ///< frames with a person and truth for this joint, but no estimate of it
};

/// Absolute differences between angles in degrees. All 0 if count is 0.
struct AngleErrors {
  std::size_t count = 0;
  double mean_degrees = 0, median_degrees = 0, p95_degrees = 0;
};

struct AngleEvaluation {
  std::string name;  ///< one of body::flexion_names
  AngleErrors error;
};

struct FrameEvaluation {
  std::optional<std::int64_t> frame;
  std::optional<double> time;
  std::size_t joints = 0;  ///< compared; 0: the frame is missing
  double mean_mm = 0, worst_mm = 0;
  std::string worst_joint;
};

struct Evaluation {
  bool by_time = false;               ///< frames were matched by time, since a file has lines without a frame number
  std::size_t truth_frames = 0;       ///< with at least one known joint
  std::size_t compared_frames = 0;    ///< of those, with a pose
  std::size_t missing_frames = 0;     ///< of those, without: lost, or no line
  std::size_t longest_gap = 0;        ///< the longest run of missing frames
  std::size_t extra_frames = 0;       ///< lines of poses without truth
  std::size_t without_deviation = 0;  ///< joints compared without a stated deviation above 0
  ErrorSummary all;
  double within_100mm_of_truth = 0;     ///< as within_100mm, with every missing joint counted as outside
  std::vector<JointEvaluation> joints;  ///< those with truth, in the order of common_joints
  std::vector<AngleEvaluation> angles;  ///< those whose joints both files have, in the order of flexion_names
  AngleErrors all_angles;
  std::vector<FrameEvaluation> frames;  ///< all with truth, ascending
};

/// The lines of a file, and its name for messages.
struct PoseFile {
  std::string name;
  std::vector<io::PoseLine> lines;
};

/// Throws Error if there is nothing to compare: no frames, none in common, or no joint in common.
Evaluation evaluate(const PoseFile& poses, const PoseFile& truth);

/// "honest", "too sure" or "too careful".
std::string verdict(double normalised_error);

}  // namespace kinema::app
