// BVH motion files: a skeleton of joints with named channels, and one line of numbers per frame.
//
// The format has dialects and no units: the writer chooses the channels of a joint and their order. The rotation of a
// joint is the product of its rotation channels in order; a position channel replaces that component of its OFFSET.
// Lengths keep the units of the file, see metres_per_unit(). y is up.
#pragma once

#include "kinema/skeleton.h"

#include <array>
#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kinema::io {

class OutputFile;

enum class BvhChannel { x_position, y_position, z_position, x_rotation, y_rotation, z_rotation };

struct BvhJoint {
  std::string name;
  int parent = -1;   ///< a joint before this one; -1 for the root only
  Vec3 offset = {};  ///< from the parent, in its frame
  std::vector<BvhChannel> channels;
  std::size_t first_channel = 0;  ///< index of its first channel in a frame
  std::vector<Vec3> end_sites;    ///< ends of bones that carry no further joint
};

struct Bvh {
  std::vector<BvhJoint> joints;  ///< parents before their children; the first is the root
  double frame_time = 0;         ///< seconds
  std::size_t frames = 0, channels = 0;
  std::vector<double> values;  ///< (frames, channels); angles in degrees

  std::span<const double> frame(std::size_t number) const {
    return std::span(values).subspan(number * channels, channels);
  }
};

/// Every Error is one line that starts with the file's name and the line number.
Bvh read_bvh(const std::filesystem::path& path);

/// The same from text; Errors start with the line number.
Bvh parse_bvh(std::string_view text);

/// The caller commits the file.
void write_bvh(OutputFile& file, const Bvh& bvh);

/// Positions of the joints, and their rotations from the joint's frame to the world frame. Lengths in the file's units.
struct BvhPlaces {
  std::vector<Vec3> positions;
  std::vector<Quaternion> rotations;
};

/// Forward kinematics at a frame; fractional frame numbers interpolate between two poses.
BvhPlaces bvh_places(const Bvh& bvh, double frame);

/// The skeleton given by its OFFSETs alone, unrotated and with the root at the origin.
BvhPlaces bvh_rest(const Bvh& bvh);

/// The joint for each of body::common_joints; -1 if the file has none. If several match, the last is used: the root of
/// a scene precedes the hips.
std::array<int, body::common_joints.size()> bvh_common_joints(const Bvh& bvh);

/// Metres per unit of length, guessed from the size of the person: thigh, shin and the distance from pelvis to neck add
/// up to about 1.1 m in an adult. The candidates are metres, centimetres, millimetres and the units of the CMU database
/// (0.0254 / 0.45 m); the nearest within a factor of two is used. Throws Error if there is none.
double guess_metres_per_unit(const Bvh& bvh);

}  // namespace kinema::io
