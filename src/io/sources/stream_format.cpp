#include "io/sources/stream_format.h"

#include "io/cameras/source_camera.h"
#include "io/files/input_file.h"
#include "io/files/json_place.h"
#include "io/pictures/video_capture.h"
#include "kinema/error.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace kinema::io {
namespace {

using Pixels = StreamHeader::Pixels;

constexpr std::size_t longest_line = 65536;

std::size_t bytes_of(Pixels pixels) { return pixels == Pixels::none ? 0 : pixels == Pixels::grey ? 1 : 3; }

std::size_t pixel_count(const StreamHeader& header) {
  return static_cast<std::size_t>(header.camera.camera.width) * static_cast<std::size_t>(header.camera.camera.height);
}

double optional_number(const JsonPlace& object, const char* name, double otherwise) {
  const auto place = object.find(name);
  return place ? place->number() : otherwise;
}

bool optional_truth(const JsonPlace& object, const char* name) {
  const auto place = object.find(name);
  if (!place) return false;
  if (!place->value().is_boolean()) place->fail("must be true or false");
  return place->value().get<bool>();
}

Pixels pixels_of(const JsonPlace& place, bool grey) {
  const std::string word = place.text();
  if (word == "bgr") return Pixels::bgr;
  if (word == "rgb") return Pixels::rgb;
  if (grey && word == "grey") return Pixels::grey;
  place.fail(grey ? R"(must be "grey", "bgr" or "rgb")" : R"(must be "bgr" or "rgb")");
}

int side(const JsonPlace& object, const char* name) {
  const std::int64_t value = object.member(name).whole_number();
  if (value < 1 || value > 16384) object.member(name).fail("must be from 1 to 16384");
  return static_cast<int>(value);
}

double not_negative(const JsonPlace& object, const char* name, double most) {
  const double value = optional_number(object, name, 0);
  if (value < 0 || value > most) object.member(name).fail(fmt::format("must be from 0 to {}", most));
  return value;
}

StreamHeader header_of(std::string_view line) {
  const nlohmann::json json = parse_json(line);
  const JsonPlace object(json, "");
  if (!object.is_object() || !object.find("kinema")) {
    throw Error(R"(begins with something else than {"kinema":1,...})");
  }
  if (object.member("kinema").whole_number() != 1)
    object.member("kinema").fail("must be 1, the version of the framing");
  object.only({"kinema", "width", "height", "fx", "fy", "cx", "cy", "fps", "depth_scale", "baseline", "distortion",
               "live", "depth", "pair", "colour"});
  StreamHeader header;
  CameraFile& file = header.camera;
  const auto depth = object.find("depth"), pair = object.find("pair"), colour = object.find("colour");
  if (depth && pair) throw Error(R"(has both "depth" and "pair": a frame is one or the other)");
  if (!depth && !pair && !colour) throw Error(R"(says none of "depth", "pair" and "colour": what a frame holds)");
  if (pair && colour) throw Error(R"(has both "pair" and "colour": the left picture of a pair is its colour)");
  header.content = depth ? RawFormat::Content::depth : pair ? RawFormat::Content::pairs : RawFormat::Content::colour;
  if (depth) {
    const std::string type = depth->text();
    if (type != "uint16" && type != "float32") depth->fail(R"(must be "uint16" or "float32")");
    header.metres = type == "float32";
  }
  if (pair) header.pair = pixels_of(*pair, true);
  if (colour) header.colour = pixels_of(*colour, false);
  file.camera.width = side(object, "width");
  file.camera.height = side(object, "height");
  check_pixels(static_cast<std::uint64_t>(file.camera.width), static_cast<std::uint64_t>(file.camera.height),
               most_frame_pixels);
  if (depth || pair) {
    file.camera.fx = object.member("fx").number();
    file.camera.fy = object.member("fy").number();
    file.camera.cx = object.member("cx").number();
    file.camera.cy = object.member("cy").number();
    check_camera(file.camera, "");
  }
  file.fps = not_negative(object, "fps", 1e6);
  file.depth_scale = not_negative(object, "depth_scale", 1);
  file.baseline = not_negative(object, "baseline", 10);
  if (header.metres) file.depth_scale = 0.001;  // of a recording that is made of it
  if (const auto list = object.find("distortion")) {
    for (const JsonPlace& value : list->elements(14)) file.distortion.push_back(value.number());
    const std::size_t count = file.distortion.size();
    if (count != 0 && count != 4 && count != 5 && count != 8 && count != 12 && count != 14) {
      list->fail("must have 4, 5, 8, 12 or 14 numbers, as in OpenCV");
    }
    if (count != 0 && header.metres) list->fail("is for depth of uint16 only");
  }
  header.live = optional_truth(object, "live");
  return header;
}

template <class T>
std::vector<T> little_endian(std::string_view bytes) {
  static_assert(std::endian::native == std::endian::little);
  std::vector<T> values(bytes.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
  return values;
}

Picture picture_of(std::string_view bytes, Pixels pixels, const Camera& camera) {
  Picture picture{camera.width, camera.height, {}};
  if (pixels == Pixels::grey) {
    picture.bgr.resize(3 * bytes.size());
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      for (std::size_t c = 0; c < 3; ++c) picture.bgr[3 * i + c] = static_cast<std::uint8_t>(bytes[i]);
    }
    return picture;
  }
  picture.bgr.assign(bytes.begin(), bytes.end());
  if (pixels == Pixels::rgb) {
    for (std::size_t i = 0; i + 2 < picture.bgr.size(); i += 3) std::swap(picture.bgr[i], picture.bgr[i + 2]);
  }
  return picture;
}

void fill(RawFrame& frame, const StreamHeader& header, std::string_view bytes) {
  const Camera& camera = header.camera.camera;
  const std::size_t pixels = pixel_count(header);
  const auto take = [&](std::size_t count) {
    const std::string_view part = bytes.substr(0, count);
    bytes.remove_prefix(count);
    return part;
  };
  if (header.content == RawFormat::Content::depth) {
    if (header.metres) {
      frame.metres = little_endian<float>(take(4 * pixels));
    } else {
      frame.depth = {camera.width, camera.height, little_endian<std::uint16_t>(take(2 * pixels))};
    }
  }
  if (header.pair != Pixels::none) {
    frame.left = picture_of(take(pixels * bytes_of(header.pair)), header.pair, camera);
    frame.right = picture_of(take(pixels * bytes_of(header.pair)), header.pair, camera);
  }
  if (header.colour != Pixels::none) {
    frame.colour = picture_of(take(pixels * bytes_of(header.colour)), header.colour, camera);
  }
}

}  // namespace

std::size_t StreamHeader::frame_bytes() const {
  const std::size_t depth = content == RawFormat::Content::depth ? (metres ? 4 : 2) : 0;
  return pixel_count(*this) * (depth + 2 * bytes_of(pair) + bytes_of(colour));
}

void StreamParser::add(std::string_view bytes) {
  if (ended_) return;
  bytes_.append(bytes);
  if (header_) return;
  try {
    if (const auto text = line()) {
      header_ = header_of(*text);
      drop_used();
    }
  } catch (const Error& error) {
    throw Error(fmt::format("the header {}", error.what()));
  }
}

// The next line, without its end; nothing while it is incomplete.
std::optional<std::string_view> StreamParser::line() {
  searched_ = std::max(searched_, used_);
  const std::size_t end = bytes_.find('\n', searched_);
  if (end == std::string::npos) {
    searched_ = bytes_.size();
    if (bytes_.size() - used_ > longest_line)
      throw Error(fmt::format("has no line of JSON within {} bytes", longest_line));
    return std::nullopt;
  }
  if (end - used_ > longest_line) throw Error(fmt::format("has a line of more than {} bytes", longest_line));
  const std::string_view text = std::string_view(bytes_).substr(used_, end - used_);
  used_ = end + 1;
  return text;
}

void StreamParser::drop_used() {
  bytes_.erase(0, used_);
  used_ = searched_ = 0;
}

std::optional<RawFrame> StreamParser::next() {
  if (!header_ || ended_) return std::nullopt;
  try {
    if (!open_) {
      const auto text = line();
      if (!text) return std::nullopt;
      const nlohmann::json json = parse_json(*text);
      const JsonPlace object(json, "");
      if (!object.is_object()) throw Error("begins with no JSON object");
      object.only({"time", "taken", "frame", "end"});
      if (optional_truth(object, "end")) {
        ended_ = true;
        bytes_.clear();
        return std::nullopt;
      }
      open_.emplace();
      open_->time = object.member("time").number();
      open_->taken = not_negative(object, "taken", 1e12);
      if (const auto number = object.find("frame")) {
        open_->index = number->whole_number();
        if (*open_->index < 0 || *open_->index > (std::int64_t{1} << 52)) number->fail("must be from 0 to 2^52");
        if (*open_->index <= last_) number->fail(fmt::format("must be above {}, that of the frame before", last_));
      }
      last_ = open_->index.value_or(last_ + 1);
    }
  } catch (const Error& error) {
    throw Error(fmt::format("frame {} {}", frames_, error.what()));
  }
  const std::size_t size = header_->frame_bytes();
  if (bytes_.size() - used_ < size) return std::nullopt;
  RawFrame frame = std::move(*open_);
  open_.reset();
  fill(frame, *header_, std::string_view(bytes_).substr(used_, size));
  used_ += size;
  drop_used();
  ++frames_;
  return frame;
}

bool StreamParser::inside_frame() const { return !ended_ && (open_ || used_ < bytes_.size()); }

RawFormat stream_raw_format(const StreamHeader& header, const std::string& name, const RecordingSettings& settings,
                            SourceUse use) {
  using Content = RawFormat::Content;
  const bool colour = use == SourceUse::colour || (use == SourceUse::any && header.content == Content::colour);
  if (colour && header.colour == StreamHeader::Pixels::none) {
    throw Error(fmt::format("{}: has no \"colour\", which head and face need", name));
  }
  if (!colour && header.content == Content::colour) {
    throw Error(fmt::format("{}: has neither \"depth\" nor a \"pair\", which the body needs", name));
  }
  RawFormat format;
  format.content = colour ? Content::colour : header.content;
  format.pictures = header.colour != StreamHeader::Pixels::none;
  format.live = header.live;
  format.name = name;
  if (colour) {
    format.camera.file.camera = header.camera.camera;
    format.camera.file.fps = settings.fps > 0 ? settings.fps : header.camera.fps;
  } else {
    CameraSearch search;
    search.use = header.content == Content::depth ? CameraUse::depth : CameraUse::stereo;
    search.frames = name;
    search.timed = false;  // frames have their time
    search.size_of_frames = [&]() -> ImageSize { return {header.camera.camera.width, header.camera.camera.height}; };
    search.stated = header.camera;
    format.camera = find_camera(search, settings);
  }
  if (!(format.camera.file.fps > 0)) format.camera.file.fps = usual_fps;
  return format;
}

}  // namespace kinema::io
