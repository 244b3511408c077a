// The reader of BVH files. Input is untrusted: counts in a file are checked against its size before memory is
// allocated.
#include "io/files/input_file.h"
#include "io/files/text.h"
#include "io/motion/bvh.h"
#include "kinema/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdint>

namespace kinema::io {
namespace {

constexpr std::size_t most_bvh_joints = 1024;
constexpr std::size_t largest_bvh = std::size_t{1} << 30;
constexpr double largest_number = 1e7;

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(), [](unsigned char c) { return std::tolower(c); });
  return result;
}

bool blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v'; }

// Words between blanks, and their line numbers.
class Words {
public:
  explicit Words(std::string_view text) : text_(text) {}

  std::size_t line() const { return line_; }
  std::size_t left() const { return text_.size() - at_; }

  [[noreturn]] void fail(const std::string& what) const { throw Error(fmt::format("{}: {}", line_, what)); }

  /// The next word, on this line or a later one; empty at the end. A brace is a word of its own.
  std::string_view next() {
    skip_lines();
    return next_on_line();
  }

  /// The next word of this line; empty at its end.
  std::string_view next_on_line() {
    while (at_ < text_.size() && blank(text_[at_])) ++at_;
    const std::size_t begin = at_;
    while (at_ < text_.size() && !blank(text_[at_]) && text_[at_] != '\n') {
      const bool brace = text_[at_] == '{' || text_[at_] == '}';
      if (brace && at_ > begin) break;
      ++at_;
      if (brace) break;
    }
    return text_.substr(begin, at_ - begin);
  }

  /// The rest of this line before a brace, trimmed: a joint's name may contain blanks.
  std::string_view rest_of_line() {
    while (at_ < text_.size() && blank(text_[at_])) ++at_;
    const std::size_t begin = at_;
    while (at_ < text_.size() && text_[at_] != '\n' && text_[at_] != '{') ++at_;
    std::string_view rest = text_.substr(begin, at_ - begin);
    while (!rest.empty() && blank(rest.back())) rest.remove_suffix(1);
    return rest;
  }

  bool at_end() {
    skip_lines();
    return at_ == text_.size();
  }

  void expect(std::string_view word, std::string_view where) {
    const std::string_view found = next();
    if (lower(found) != lower(word)) {
      fail(fmt::format("needs '{}' {}, not '{}'", word, where, found.empty() ? "the end" : printable(found)));
    }
  }

  double number(std::string_view word, std::string_view what) const {
    const std::string_view digits = word.substr(0, 1) == "+" ? word.substr(1) : word;
    double value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    // a value too small for a double becomes 0
    const bool tiny = error == std::errc::result_out_of_range && lower(digits).find("e-") != std::string::npos;
    if (end != digits.data() + digits.size() || (error != std::errc{} && !tiny)) {
      fail(fmt::format("{} is '{}', which is not a number", what, printable(word)));
    }
    if (tiny) return 0;
    if (!std::isfinite(value) || std::abs(value) > largest_number) {
      fail(fmt::format("{} is {}: it must be finite and below {:g}", what, printable(word), largest_number));
    }
    return value;
  }

  std::size_t count(std::string_view word, std::string_view what) const {
    const auto value = exact_number_in<std::size_t>(word);
    if (!value) fail(fmt::format("{} is '{}', which is not a whole number", what, printable(word)));
    return *value;
  }

private:
  void skip_lines() {
    while (at_ < text_.size() && (blank(text_[at_]) || text_[at_] == '\n')) {
      if (text_[at_] == '\n') ++line_;
      ++at_;
    }
  }

  std::string_view text_;
  std::size_t at_ = 0, line_ = 1;
};

Vec3 read_offset(Words& words) {
  Vec3 offset = {};
  for (double* part : {&offset.x, &offset.y, &offset.z}) {
    const std::string_view word = words.next_on_line();
    if (word.empty()) words.fail("OFFSET needs three numbers");
    *part = words.number(word, "OFFSET");
  }
  return offset;
}

std::vector<BvhChannel> read_channels(Words& words) {
  static constexpr std::string_view names[] = {"xposition", "yposition", "zposition",
                                               "xrotation", "yrotation", "zrotation"};
  const std::size_t count = words.count(words.next_on_line(), "the number of CHANNELS");
  if (count > std::size(names)) words.fail(fmt::format("{} CHANNELS: a joint has at most 6", count));
  std::vector<BvhChannel> channels;
  for (std::size_t c = 0; c < count; ++c) {
    const std::string_view word = words.next_on_line();
    const auto name = std::find(std::begin(names), std::end(names), lower(word));
    if (word.empty()) words.fail(fmt::format("names {} of {} CHANNELS", c, count));
    if (name == std::end(names)) {
      words.fail(
          fmt::format("channel '{}' is not known: it is X, Y or Z with 'position' or 'rotation'", printable(word)));
    }
    const auto channel = static_cast<BvhChannel>(name - std::begin(names));
    if (std::find(channels.begin(), channels.end(), channel) != channels.end()) {
      words.fail(fmt::format("channel {} stands twice in one joint", printable(word)));
    }
    channels.push_back(channel);
  }
  if (const std::string_view more = words.next_on_line(); !more.empty()) {
    words.fail(fmt::format("goes on with '{}' after {} CHANNELS", printable(more), count));
  }
  return channels;
}

void read_end_site(Words& words, BvhJoint& joint) {
  words.rest_of_line();  // "Site", or another name by some writers
  words.expect("{", "after End Site");
  words.expect("OFFSET", "in an End Site");
  joint.end_sites.push_back(read_offset(words));
  words.expect("}", "after the OFFSET of an End Site");
}

// The words between the braces of the root. Open joints are kept on an explicit stack: nesting depth is unbounded.
void read_joints(Words& words, Bvh& bvh) {
  struct Open {
    std::size_t joint;
    bool has_offset = false, has_channels = false;
  };
  std::vector<Open> open;
  const auto start = [&] {
    BvhJoint joint;
    joint.name = words.rest_of_line();
    if (joint.name.empty()) words.fail("a joint has no name");
    if (bvh.joints.size() == most_bvh_joints) words.fail(fmt::format("more than {} joints", most_bvh_joints));
    joint.parent = open.empty() ? -1 : static_cast<int>(open.back().joint);
    words.expect("{", fmt::format("after joint {}", printable(joint.name)));
    open.push_back({bvh.joints.size()});
    bvh.joints.push_back(std::move(joint));
  };
  start();
  while (!open.empty()) {
    const std::string_view word = words.next();
    const std::string key = lower(word);
    BvhJoint& joint = bvh.joints[open.back().joint];
    if (key == "offset" && !open.back().has_offset) {
      joint.offset = read_offset(words);
      open.back().has_offset = true;
    } else if (key == "channels" && !open.back().has_channels) {
      joint.channels = read_channels(words);
      joint.first_channel = bvh.channels;
      bvh.channels += joint.channels.size();
      open.back().has_channels = true;
    } else if (key == "joint") {
      // the numbers of a frame follow the order of the file, so a parent's channels must be known first
      if (!open.back().has_channels) words.fail(fmt::format("joint {} has no CHANNELS yet", printable(joint.name)));
      start();
    } else if (key == "end") {
      read_end_site(words, joint);
    } else if (key == "}") {
      if (!open.back().has_offset) words.fail(fmt::format("joint {} has no OFFSET", printable(joint.name)));
      if (!open.back().has_channels) words.fail(fmt::format("joint {} has no CHANNELS", printable(joint.name)));
      open.pop_back();
    } else if (word.empty()) {
      words.fail(fmt::format("the file ends within joint {}", printable(joint.name)));
    } else {
      words.fail(fmt::format("'{}' is not expected in joint {}", printable(word), printable(joint.name)));
    }
  }
}

void read_motion(Words& words, Bvh& bvh) {
  words.expect("MOTION", "after the joints");
  words.expect("Frames:", "after MOTION");
  bvh.frames = words.count(words.next_on_line(), "the number of Frames");
  words.expect("Frame", "after Frames");
  words.expect("Time:", "after Frame");
  bvh.frame_time = words.number(words.next_on_line(), "the Frame Time");
  if (bvh.frames == 0) words.fail("has no Frames: a motion needs at least one");
  if (bvh.frame_time < 1e-6 || bvh.frame_time > 1000) {
    words.fail(fmt::format("the Frame Time is {}: it is given in seconds, above 0", bvh.frame_time));
  }
  if (bvh.channels == 0) words.fail("none of the joints has a channel: nothing moves");
  // a number takes at least a digit and the blank before it
  if (bvh.frames > words.left() / 2 / bvh.channels) {
    words.fail(fmt::format("cut short: {} frames of {} numbers cannot stand in the {} bytes that are left", bvh.frames,
                           bvh.channels, words.left()));
  }
  bvh.values.reserve(bvh.frames * bvh.channels);
  for (std::size_t f = 0; f < bvh.frames; ++f) {
    if (words.at_end()) words.fail(fmt::format("cut short: it holds {} of {} frames", f, bvh.frames));
    for (std::size_t c = 0; c < bvh.channels; ++c) {
      const std::string_view word = words.next_on_line();
      if (word.empty()) {
        words.fail(fmt::format("frame {} has {} numbers where {} channels are declared", f, c, bvh.channels));
      }
      bvh.values.push_back(words.number(word, "a number of this frame"));
    }
    if (!words.next_on_line().empty()) {
      words.fail(fmt::format("frame {} has more than the {} numbers of its channels", f, bvh.channels));
    }
  }
  if (!words.at_end()) words.fail(fmt::format("goes on after its {} frames", bvh.frames));
}

}  // namespace

Bvh parse_bvh(std::string_view text) {
  const bool marked = text.starts_with("\xef\xbb\xbf");  // some editors write a UTF-8 byte order mark
  Words words(text.substr(marked ? 3 : 0));
  if (lower(words.next()) != "hierarchy") words.fail("is not a BVH file: it does not start with HIERARCHY");
  words.expect("ROOT", "after HIERARCHY");
  Bvh bvh;
  read_joints(words, bvh);
  read_motion(words, bvh);
  return bvh;
}

Bvh read_bvh(const std::filesystem::path& path) {
  const std::string text = naming(path, [&] { return read_bytes(path, largest_bvh); });
  try {
    return parse_bvh(text);
  } catch (const Error& error) {
    throw Error(fmt::format("{}:{}", path.string(), error.what()), error.cause());
  }
}

}  // namespace kinema::io
