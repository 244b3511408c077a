// A file is a header of one block of 512 bytes, blocks of parameters in groups, and blocks of data.
#include "io/motion/motion_files.h"

#include "io/motion/poses.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <span>
#include <string_view>

namespace kinema::io {
namespace {

constexpr std::size_t block = 512;
constexpr std::size_t first_parameter_block = 2;
constexpr char intel = 84;  // the processor: little-endian, floats of IEEE 754
constexpr std::size_t longest_label = 32;

class Bytes {
public:
  void byte(int value) { text_ += static_cast<char>(value); }
  void word(std::uint32_t value) {  // 16 bits
    byte(static_cast<int>(value & 255));
    byte(static_cast<int>(value >> 8 & 255));
  }
  void number(double value) {
    const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(value));
    word(bits & 65535);
    word(bits >> 16);
  }
  void add(std::string_view bytes) { text_ += bytes; }
  void fill_to(std::size_t size) { text_.resize(size, '\0'); }
  void fill_block() { fill_to((text_.size() + block - 1) / block * block); }
  std::size_t size() const { return text_.size(); }
  std::string take() { return std::move(text_); }

private:
  std::string text_;
};

// A group, or a parameter of one, is: length of its name, number of the group (negative for the group itself), name,
// distance to the next entry, and its data.
class Parameters {
public:
  void group(int number, std::string_view name) {
    entry(-number, name, std::string(1, '\0'));  // no description
    number_ = number;
  }
  void words(std::string_view name, std::span<const std::uint32_t> values) {
    Bytes data;
    shape(data, 2, values.size() == 1 ? std::vector<int>{} : std::vector<int>{static_cast<int>(values.size())});
    for (std::uint32_t value : values) data.word(value);
    finish(name, data);
  }
  void word(std::string_view name, std::uint32_t value) { words(name, {&value, 1}); }
  void number(std::string_view name, double value) {
    Bytes data;
    shape(data, 4, {});
    data.number(value);
    finish(name, data);
  }
  void text(std::string_view name, std::string_view value) {
    Bytes data;
    shape(data, -1, {static_cast<int>(value.size())});
    data.add(value);
    finish(name, data);
  }
  void texts(std::string_view name, const std::vector<std::string>& values) {
    std::size_t longest = 1;
    for (const std::string& value : values) longest = std::max(longest, value.size());
    Bytes data;
    shape(data, -1, {static_cast<int>(longest), static_cast<int>(values.size())});
    for (const std::string& value : values) data.add(value + std::string(longest - value.size(), ' '));
    finish(name, data);
  }

  // With the header of the section, whose third byte is its number of blocks. The zeros at its end are an entry without
  // a name, which ends the list.
  std::string take() {
    const std::size_t blocks = (4 + entries_.size() + 2 + block - 1) / block;
    Bytes section;
    for (int value : {1, 0x50, static_cast<int>(blocks), static_cast<int>(intel)}) section.byte(value);
    section.add(entries_);
    section.fill_to(blocks * block);
    return section.take();
  }

private:
  static void shape(Bytes& data, int type, const std::vector<int>& dimensions) {
    data.byte(type);
    data.byte(static_cast<int>(dimensions.size()));
    for (int size : dimensions) data.byte(size);
  }
  void finish(std::string_view name, Bytes& data) {
    data.byte(0);  // no description
    entry(number_, name, data.take());
  }
  void entry(int group, std::string_view name, const std::string& data) {
    Bytes bytes;
    bytes.byte(static_cast<int>(name.size()));
    bytes.byte(group);
    bytes.add(name);
    bytes.word(static_cast<std::uint32_t>(2 + data.size()));
    bytes.add(data);
    entries_ += bytes.take();
  }

  std::string entries_;
  int number_ = 0;
};

struct C3dHeader {
  std::uint32_t points, frames, data_block;
  double scale, rate;
};

std::string header_block(const C3dHeader& header) {
  Bytes bytes;
  bytes.byte(first_parameter_block);
  bytes.byte(0x50);
  bytes.word(header.points);
  bytes.word(0);  // analog channels
  bytes.word(1);  // first frame
  bytes.word(std::min<std::uint32_t>(header.frames, 65535));
  bytes.word(0);  // longest gap that was interpolated
  bytes.number(header.scale);
  bytes.word(header.data_block);
  bytes.word(0);  // analog samples per frame
  bytes.number(header.rate);
  bytes.fill_to(block);
  return bytes.take();
}

std::string parameter_blocks(const C3dHeader& header, const std::vector<std::string>& labels) {
  Parameters parameters;
  parameters.group(1, "POINT");
  parameters.word("USED", header.points);
  parameters.number("SCALE", header.scale);
  parameters.number("RATE", header.rate);
  parameters.word("DATA_START", header.data_block);
  // more frames than a word can count are a number
  if (header.frames <= 65535)
    parameters.word("FRAMES", header.frames);
  else
    parameters.number("FRAMES", header.frames);
  parameters.texts("LABELS", labels);
  parameters.texts("DESCRIPTIONS", std::vector<std::string>(labels.size(), "joint centre"));
  parameters.text("UNITS", "mm");
  parameters.text("X_SCREEN", "+X");
  parameters.text("Y_SCREEN", "+Y");
  parameters.group(2, "ANALOG");
  parameters.word("USED", 0);
  parameters.number("GEN_SCALE", 1);
  parameters.number("RATE", 0);  // readers check it against the samples per frame in the header
  parameters.group(3, "TRIAL");
  const std::uint32_t first[] = {1, 0}, last[] = {header.frames & 65535, header.frames >> 16};
  parameters.words("ACTUAL_START_FIELD", first);
  parameters.words("ACTUAL_END_FIELD", last);
  parameters.group(4, "MANUFACTURER");
  parameters.text("SOFTWARE", "kinema");
  return parameters.take();
}

}  // namespace

std::string to_c3d(const body::Skeleton& skeleton, const TrackedMotion& motion) {
  std::vector<std::string> labels = output_names(skeleton);
  for (std::string& label : labels) label = label.substr(0, longest_label);
  double farthest = 1;  // millimetres
  for (const TrackedFrame& frame : motion.frames) {
    for (const Vec3& joint : frame.joints) {
      for (double number : {joint.x, joint.y, joint.z}) farthest = std::max(farthest, millimetres * std::abs(number));
    }
  }
  // a negative scale means floats; its size is the unit of residuals, and that of integers if a program converts to them
  C3dHeader header{static_cast<std::uint32_t>(labels.size()), static_cast<std::uint32_t>(motion.frames.size()), 0,
                   -farthest / 32000, motion.fps};
  const std::size_t blocks = parameter_blocks(header, labels).size() / block;
  header.data_block = static_cast<std::uint32_t>(first_parameter_block + blocks);
  Bytes bytes;
  bytes.add(header_block(header));
  bytes.add(parameter_blocks(header, labels));
  for (const TrackedFrame& frame : motion.frames) {
    for (std::size_t j = 0; j < labels.size(); ++j) {
      const Vec3 at = frame.found ? y_up(frame.joints[j]) : Vec3{0, 0, 0};
      for (double number : {at.x, at.y, at.z}) bytes.number(millimetres * number);
      bytes.number(frame.found ? 0 : -1);  // the residual: not measured by cameras of markers, or invalid
    }
  }
  bytes.fill_block();
  return bytes.take();
}

}  // namespace kinema::io
