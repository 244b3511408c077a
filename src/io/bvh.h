// BVH motion files: a skeleton of joints with named channels, and a line of numbers for each frame.
//
// The format has dialects, and no units: which channels a joint has, and in which order, is up to its writer. A joint
// turns by the product of its rotations in channel order; a position channel replaces that part of its OFFSET. Lengths
// are kept as they stand in the file, see metres_per_unit(). y is up.
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
  std::size_t first_channel = 0;  ///< of its channels among the numbers of a frame
  std::vector<Vec3> end_sites;    ///< where bones end that carry no further joint
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

/// Every refusal is an Error of one line that starts with the file's name and the line in it.
Bvh read_bvh(const std::filesystem::path& path);

/// The same from text; Errors start with the line.
Bvh parse_bvh(std::string_view text);

/// To be committed by the caller.
void write_bvh(OutputFile& file, const Bvh& bvh);

/// Where the joints are, and how they are turned: from a joint's frame to the world's. Lengths in the file's units.
struct BvhPlaces {
  std::vector<Vec3> positions;
  std::vector<Quaternion> rotations;
};

/// Forward kinematics at a frame; a number between two frames is a pose between theirs.
BvhPlaces bvh_places(const Bvh& bvh, double frame);

/// The skeleton as its OFFSETs draw it, unturned and with the root at the origin.
BvhPlaces bvh_rest(const Bvh& bvh);

/// The joint behind each of body::common_joints; -1 where the file has none. Of several the last one counts: a scene's
/// root stands before the hips.
std::array<int, body::common_joints.size()> bvh_common_joints(const Bvh& bvh);

/// Metres a unit of length, guessed from the size of the person: of thigh, shin and the way from pelvis to neck, which
/// is about 1.1 m in a grown-up. The candidates are metres, centimetres, millimetres and the units of the CMU database
/// (0.0254 / 0.45 m); the one that comes nearest counts, within a factor of two. Throws Error where none does.
double guess_metres_per_unit(const Bvh& bvh);

}  // namespace kinema::io
