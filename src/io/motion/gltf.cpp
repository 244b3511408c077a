#include "io/motion/motion_files.h"

#include "core/geometry.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <span>

namespace kinema::io {
namespace {

using nlohmann::ordered_json;

// Numbers of the specification.
constexpr int of_bytes = 5121, of_shorts = 5123, of_floats = 5126;
constexpr int vertex_buffer = 34962, index_buffer = 34963;
constexpr std::uint32_t magic = 0x46546C67, json_chunk = 0x4E4F534A, binary_chunk = 0x004E4942;

void add_word(std::string& bytes, std::uint32_t value) {
  for (int shift = 0; shift < 32; shift += 8) bytes += static_cast<char>(value >> shift & 255);
}

// The binary part, and the accessors that describe it.
class Buffer {
public:
  int floats(const char* type, std::size_t width, std::span<const float> values, bool with_range, int target = 0) {
    for (float value : values) add_word(bytes_, std::bit_cast<std::uint32_t>(value));
    const std::size_t count = values.size() / width;
    const int number = accessor(type, of_floats, count, 4 * values.size(), target);
    if (!with_range || count == 0) return number;
    std::vector<float> least(width, std::numeric_limits<float>::max()),
        most(width, std::numeric_limits<float>::lowest());
    for (std::size_t i = 0; i < values.size(); ++i) {
      least[i % width] = std::min(least[i % width], values[i]);
      most[i % width] = std::max(most[i % width], values[i]);
    }
    accessors.back()["min"] = least;
    accessors.back()["max"] = most;
    return number;
  }
  int bytes(const char* type, std::size_t width, std::span<const std::uint8_t> values, int target) {
    for (std::uint8_t value : values) bytes_ += static_cast<char>(value);
    return accessor(type, of_bytes, values.size() / width, values.size(), target);
  }
  int shorts(std::span<const std::uint16_t> values, int target) {
    for (std::uint16_t value : values) {
      bytes_ += static_cast<char>(value & 255);
      bytes_ += static_cast<char>(value >> 8);
    }
    return accessor("SCALAR", of_shorts, values.size(), 2 * values.size(), target);
  }
  std::string take() { return std::move(bytes_); }

  ordered_json accessors = ordered_json::array(), views = ordered_json::array();

private:
  int accessor(const char* type, int component, std::size_t count, std::size_t size, int target) {
    ordered_json view{{"buffer", 0}, {"byteOffset", bytes_.size() - size}, {"byteLength", size}};
    if (target != 0) view["target"] = target;
    bytes_.resize((bytes_.size() + 3) / 4 * 4, '\0');
    accessors.push_back({{"bufferView", views.size()}, {"componentType", component}, {"count", count}, {"type", type}});
    views.push_back(std::move(view));
    return static_cast<int>(accessors.size()) - 1;
  }

  std::string bytes_;
};

void append(std::vector<float>& list, const Vec3& v) {
  for (double number : {v.x, v.y, v.z}) list.push_back(static_cast<float>(number));
}
void append(std::vector<float>& list, const Quaternion& q) {
  for (double number : {q.x, q.y, q.z, q.w}) list.push_back(static_cast<float>(number));
}

// Keys of the animation.
struct Keys {
  std::vector<float> times;
  std::vector<float> root;                    // (keys, 3)
  std::vector<std::vector<float>> rotations;  // of each joint against its parent: (keys, 4)
};

class KeyMaker {
public:
  explicit KeyMaker(const body::Skeleton& skeleton) : skeleton_(skeleton) {
    keys.rotations.resize(skeleton.joints.size());
    last_.assign(skeleton.joints.size(), {1, 0, 0, 0});
  }

  void add(double time, const body::Pose& pose) {
    // times of keys grow strictly
    if (!keys.times.empty() && static_cast<float>(time) <= keys.times.back()) return;
    keys.times.push_back(static_cast<float>(time));
    append(keys.root, y_up(pose.position));
    const std::vector<Quaternion> rotations = body::joint_rotations(skeleton_, pose);
    for (std::size_t j = 0; j < rotations.size(); ++j) {
      const int parent = skeleton_.joints[j].parent;
      const Quaternion before = parent < 0 ? camera_to_y_up : conjugate(rotations[static_cast<std::size_t>(parent)]);
      Quaternion own = normalised(before * rotations[j]);
      const Quaternion& last = last_[j];
      // of the two signs the one nearer to the last key, for viewers that interpolate numbers
      if (own.w * last.w + own.x * last.x + own.y * last.y + own.z * last.z < 0) own = {-own.w, -own.x, -own.y, -own.z};
      append(keys.rotations[j], own);
      last_[j] = own;
    }
  }

  Keys keys;

private:
  const body::Skeleton& skeleton_;
  std::vector<Quaternion> last_;
};

Keys keys_of(const body::Skeleton& skeleton, const TrackedMotion& motion) {
  KeyMaker maker(skeleton);
  const TrackedFrame* last = nullptr;
  double begin = 0;  // an animation starts at 0
  if (!motion.frames.empty()) begin = motion.frames.front().time;
  for (std::size_t i = 0; i < motion.frames.size(); ++i) {
    const TrackedFrame& frame = motion.frames[i];
    if (!frame.found) continue;
    // after a gap: the last pose up to its end, since nothing is known between the two
    if (last != nullptr && !motion.frames[i - 1].found) maker.add(motion.frames[i - 1].time - begin, last->pose);
    maker.add(frame.time - begin, frame.pose);
    last = &frame;
  }
  return std::move(maker.keys);
}

ordered_json nodes_of(const body::Skeleton& skeleton, const Keys& keys) {
  std::vector<ordered_json> children(skeleton.joints.size(), ordered_json::array());
  for (std::size_t j = 1; j < skeleton.joints.size(); ++j) {
    children[static_cast<std::size_t>(skeleton.joints[j].parent)].push_back(j);
  }
  ordered_json nodes = ordered_json::array();
  for (std::size_t j = 0; j < skeleton.joints.size(); ++j) {
    std::vector<float> place;
    append(place, j == 0 ? Vec3{0, 0, 0} : skeleton.joints[j].offset);
    ordered_json node{{"name", skeleton.joints[j].name}};
    if (!children[j].empty()) node["children"] = children[j];
    // as in the first key, for programs that show no animation
    if (!keys.times.empty()) {
      if (j == 0) place.assign(keys.root.begin(), keys.root.begin() + 3);
      node["rotation"] = std::vector<float>(keys.rotations[j].begin(), keys.rotations[j].begin() + 4);
    }
    node["translation"] = place;
    nodes.push_back(std::move(node));
  }
  return nodes;
}

ordered_json animation_of(const Keys& keys, Buffer& buffer) {
  ordered_json samplers = ordered_json::array(), channels = ordered_json::array();
  const int times = buffer.floats("SCALAR", 1, keys.times, true);
  const auto add = [&](std::size_t node, const char* path, int values) {
    channels.push_back({{"sampler", samplers.size()}, {"target", {{"node", node}, {"path", path}}}});
    samplers.push_back({{"input", times}, {"output", values}, {"interpolation", "LINEAR"}});
  };
  add(0, "translation", buffer.floats("VEC3", 3, keys.root, false));
  for (std::size_t j = 0; j < keys.rotations.size(); ++j) {
    add(j, "rotation", buffer.floats("VEC4", 4, keys.rotations[j], false));
  }
  return {{"name", "tracked"}, {"channels", std::move(channels)}, {"samplers", std::move(samplers)}};
}

// The mesh and its binding to the joints; adds the node that shows it.
void add_skin(const body::Skeleton& skeleton, Buffer& buffer, ordered_json& document) {
  const SkinMesh mesh = capsule_mesh(skeleton);
  if (mesh.positions.empty()) return;
  std::vector<float> positions, normals, weights, matrices;
  std::vector<std::uint8_t> joints;
  for (std::size_t i = 0; i < mesh.positions.size(); ++i) {
    append(positions, mesh.positions[i]);
    append(normals, mesh.normals[i]);
    joints.insert(joints.end(), {mesh.joints[i], 0, 0, 0});
    weights.insert(weights.end(), {1, 0, 0, 0});
  }
  // frames are parallel in the rest pose, in which the mesh is given: the way back is a shift. By columns.
  ordered_json all = ordered_json::array();
  for (const Vec3& place : rest_places(skeleton)) {
    all.push_back(all.size());
    const auto shift = [](double at) { return static_cast<float>(-at); };
    matrices.insert(matrices.end(),
                    {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, shift(place.x), shift(place.y), shift(place.z), 1});
  }
  ordered_json attributes;
  attributes["POSITION"] = buffer.floats("VEC3", 3, positions, true, vertex_buffer);
  attributes["NORMAL"] = buffer.floats("VEC3", 3, normals, false, vertex_buffer);
  attributes["JOINTS_0"] = buffer.bytes("VEC4", 4, joints, vertex_buffer);
  attributes["WEIGHTS_0"] = buffer.floats("VEC4", 4, weights, false, vertex_buffer);
  ordered_json primitive{
      {"attributes", std::move(attributes)}, {"indices", buffer.shorts(mesh.indices, index_buffer)}, {"material", 0}};
  document["materials"] = ordered_json::array(
      {{{"name", "skin"},
        {"pbrMetallicRoughness",
         {{"baseColorFactor", {0.55, 0.62, 0.7, 1}}, {"metallicFactor", 0}, {"roughnessFactor", 0.8}}}}});
  document["meshes"] =
      ordered_json::array({{{"name", "skin"}, {"primitives", ordered_json::array({std::move(primitive)})}}});
  document["skins"] = ordered_json::array({{{"name", skeleton.name.empty() ? "skeleton" : skeleton.name},
                                            {"inverseBindMatrices", buffer.floats("MAT4", 16, matrices, false)},
                                            {"joints", std::move(all)},
                                            {"skeleton", 0}}});
  document["scenes"][0]["nodes"].push_back(document["nodes"].size());
  document["nodes"].push_back({{"name", "skin"}, {"mesh", 0}, {"skin", 0}});
}

}  // namespace

std::string to_glb(const body::Skeleton& skeleton, const TrackedMotion& motion) {
  body::check(skeleton);
  const Keys keys = keys_of(skeleton, motion);
  Buffer buffer;
  ordered_json document;
  document["asset"] = {{"version", "2.0"}, {"generator", "kinema"}};
  document["scene"] = 0;
  document["scenes"] = ordered_json::array({{{"nodes", ordered_json::array({0})}}});
  document["nodes"] = nodes_of(skeleton, keys);
  add_skin(skeleton, buffer, document);
  if (!keys.times.empty()) document["animations"] = ordered_json::array({animation_of(keys, buffer)});
  std::string binary = buffer.take();
  if (!binary.empty()) {
    document["accessors"] = buffer.accessors;
    document["bufferViews"] = buffer.views;
    document["buffers"] = ordered_json::array({{{"byteLength", binary.size()}}});
  }
  std::string text = document.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
  text.resize((text.size() + 3) / 4 * 4, ' ');

  std::string file;
  add_word(file, magic);
  add_word(file, 2);
  add_word(file, static_cast<std::uint32_t>(12 + 8 + text.size() + (binary.empty() ? 0 : 8 + binary.size())));
  add_word(file, static_cast<std::uint32_t>(text.size()));
  add_word(file, json_chunk);
  file += text;
  if (binary.empty()) return file;
  add_word(file, static_cast<std::uint32_t>(binary.size()));
  add_word(file, binary_chunk);
  return file + binary;
}

}  // namespace kinema::io
