#include "io/motion/poses.h"

#include "io/files/input_file.h"
#include "io/files/json_place.h"
#include "io/files/text.h"
#include "kinema/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace kinema::io {
namespace {

constexpr std::size_t largest_poses = std::size_t{1} << 31;
constexpr std::size_t most_joints = 4096;

// Larger values were not given in metres or seconds; sums and squares of smaller ones stay finite.
constexpr double furthest = 1e6, latest = 1e12;

std::optional<double> number_at(const JsonPlace& object, const std::string& name) {
  const auto found = object.find(name);
  if (!found || found->is_null()) return std::nullopt;
  return found->number();
}

std::vector<NamedJoint> joints_at(const JsonPlace& line, const JsonPlace& joints) {
  std::vector<NamedJoint> found;
  const auto deviations = line.find("std");
  for (const JsonPlace::Member& member : joints.members()) {
    if (member.place.is_null()) continue;  // a joint that was not observed
    NamedJoint joint{member.name, member.place.vector(), std::nullopt};
    if (deviations && !deviations->is_null()) joint.deviation = number_at(*deviations, member.name);
    const Vec3& at = joint.position;
    if (std::max({std::abs(at.x), std::abs(at.y), std::abs(at.z)}) > furthest) {
      member.place.fail(fmt::format("lies more than {:.0f} metres off: give metres", furthest));
    }
    if (joint.deviation && (*joint.deviation < 0 || *joint.deviation > furthest)) {
      deviations->member(member.name).fail(fmt::format("is {}: give metres, not below 0", *joint.deviation));
    }
    found.push_back(std::move(joint));
  }
  if (found.size() > most_joints) joints.fail(fmt::format("has more than {} joints", most_joints));
  return found;
}

PoseLine line_at(const JsonPlace& root) {
  PoseLine line;
  if (const auto frame = root.find("frame"); frame && !frame->is_null()) line.frame = frame->whole_number();
  line.time = number_at(root, "time");
  if (line.time && std::abs(*line.time) > latest) root.member("time").fail("is out of range: give seconds");
  if (const auto person = root.find("person"); person && !person->is_null()) line.person = person->whole_number();
  line.visible = number_at(root, "visible");
  if (!line.frame && !line.time) root.fail("has neither \"frame\" nor \"time\": give one of them, better both");
  const JsonPlace joints = root.member("joints");
  line.found = !joints.is_null();
  if (line.found) line.joints = joints_at(root, joints);
  if (const auto why = root.find("why"); why && why->is_text()) line.why = why->text();
  line.log_likelihood = number_at(root, "log_likelihood");
  line.effective_sample_size = number_at(root, "ess");
  return line;
}

bool blank(std::string_view text) { return text.find_first_not_of(" \t\r") == std::string_view::npos; }

}  // namespace

std::vector<std::string> output_names(const body::Skeleton& skeleton) {
  std::vector<std::string> names;
  for (const body::Joint& joint : skeleton.joints) {
    const std::string common(body::common_joint(joint.name));
    const bool taken = skeleton.find(common) >= 0 || std::find(names.begin(), names.end(), common) != names.end();
    names.push_back(common.empty() || taken ? joint.name : common);
  }
  return names;
}

std::vector<PoseLine> read_poses(const std::filesystem::path& path) {
  const std::string text = naming(path, [&] { return InputFile(path).rest(largest_poses); });
  std::vector<PoseLine> lines;
  std::map<std::pair<std::int64_t, std::optional<std::int64_t>>, std::size_t>
      frames;  // the line of each, by its person
  std::size_t number = 0;
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view line = take_line(rest);
    ++number;
    if (blank(line)) continue;
    try {
      const nlohmann::json document = parse_json(line);
      PoseLine read = line_at(JsonPlace(document));
      read.line = number;
      if (read.frame) {
        const auto [at, first] = frames.emplace(std::pair(*read.frame, read.person), number);
        if (!first) {
          throw Error(fmt::format("/frame: is {}, as in line {}: keep one line per frame", *read.frame, at->second));
        }
      }
      lines.push_back(std::move(read));
    } catch (const Error& error) {
      throw Error(fmt::format("{}:{}: {}", path.string(), number, error.what()), error.cause());
    }
  }
  return lines;
}

}  // namespace kinema::io
