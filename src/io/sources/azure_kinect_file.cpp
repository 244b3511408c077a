#include "io/sources/openers.h"

#include "io/cameras/camera_file.h"
#include "io/cameras/source_camera.h"
#include "io/files/input_file.h"
#include "io/pictures/image_file.h"
#include "kinema/error.h"

extern "C" {
#include <libavformat/avformat.h>
}

#include <fmt/format.h>

#include <array>
#include <memory>
#include <string_view>

namespace kinema::io {
namespace {

struct CloseFile {
  void operator()(AVFormatContext* file) const { avformat_close_input(&file); }
};
using File = std::unique_ptr<AVFormatContext, CloseFile>;

struct FreePacket {
  void operator()(AVPacket* packet) const { av_packet_free(&packet); }
};
using Packet = std::unique_ptr<AVPacket, FreePacket>;

std::string reason(int error) {
  std::array<char, 256> text{};
  av_strerror(error, text.data(), text.size());
  return one_line(text.data());
}

File open_file(const std::string& path) {
  av_log_set_level(AV_LOG_QUIET);  // an Error reports each failure once
  AVFormatContext* context = nullptr;
  // whatever it says it is: not a list of other files or addresses
  AVDictionary* options = nullptr;
  av_dict_set(&options, "format_whitelist", "matroska", 0);
  av_dict_set(&options, "protocol_whitelist", "file", 0);
  // the prefix keeps a name with a colon from being taken for a protocol
  const int error = avformat_open_input(&context, ("file:" + path).c_str(), nullptr, &options);
  av_dict_free(&options);
  if (error < 0) throw Error(fmt::format("{}: cannot be opened: {}", path, reason(error)));
  File file(context);
  // streams that are not used are passed over; those without a decoder would be probed at length
  file->max_analyze_duration = 1;
  return file;
}

std::string_view metadata(const AVStream& stream, const char* name) {
  const AVDictionaryEntry* entry = av_dict_get(stream.metadata, name, nullptr, 0);
  return entry != nullptr ? entry->value : "";
}

std::string_view calibration_of(const AVFormatContext& file) {
  for (unsigned i = 0; i < file.nb_streams; ++i) {
    const AVStream& stream = *file.streams[i];
    if (stream.codecpar->codec_type != AVMEDIA_TYPE_ATTACHMENT) continue;
    if (metadata(stream, "filename") != "calibration.json") continue;
    return {reinterpret_cast<const char*>(stream.codecpar->extradata),
            static_cast<std::size_t>(stream.codecpar->extradata_size)};
  }
  return {};
}

// The track of this title; older programs wrote none, but one depth track of raw pixels.
const AVStream* track(const AVFormatContext& file, std::string_view title, AVCodecID codec) {
  for (const bool by_title : {true, false}) {
    for (unsigned i = 0; i < file.nb_streams; ++i) {
      const AVStream& stream = *file.streams[i];
      if (stream.codecpar->codec_type != AVMEDIA_TYPE_VIDEO) continue;
      if (by_title ? metadata(stream, "title") == title : stream.codecpar->codec_id == codec) return &stream;
    }
  }
  return nullptr;
}

class AzureKinectFile final : public RawSource {
public:
  AzureKinectFile(const std::string& path, const RecordingSettings& settings, SourceUse use)
      : file_(open_file(path)), packet_(av_packet_alloc()) {
    format_.name = path;
    if (use != SourceUse::colour) depth_ = track(*file_, "DEPTH", AV_CODEC_ID_RAWVIDEO);
    if (use != SourceUse::body || settings.colour) colour_ = track(*file_, "COLOR", AV_CODEC_ID_MJPEG);
    if (colour_ != nullptr && colour_->codecpar->codec_id != AV_CODEC_ID_MJPEG) colour_ = nullptr;
    if (use == SourceUse::body && depth_ == nullptr) throw Error(fmt::format("{}: has no track of depth", path));
    if (depth_ == nullptr && colour_ == nullptr) {
      throw Error(fmt::format("{}: has no track of colour as JPEG", path));
    }
    format_.pictures = colour_ != nullptr;
    try {
      describe(settings);
    } catch (const Error& error) {
      const std::string text = error.what();
      throw text.starts_with(path) ? error : about(path, error);
    }
  }

  Got read(RawFrame& frame, std::chrono::milliseconds) override {
    const AVStream* main = depth_ != nullptr ? depth_ : colour_;
    for (;;) {
      const int error = av_read_frame(file_.get(), packet_.get());
      if (error == AVERROR_EOF) return Got::end;
      if (error < 0) {
        throw Error(fmt::format("{}: breaks off after {} frames: {}", format_.name, read_, reason(error)),
                    Error::Cause::running);
      }
      const std::string_view bytes(reinterpret_cast<const char*>(packet_->data),
                                   static_cast<std::size_t>(packet_->size));
      const int stream = packet_->stream_index;
      if (colour_ != nullptr && stream == colour_->index) {
        picture_.assign(bytes);
      }
      const bool wanted = stream == main->index;
      if (wanted) {
        if (stream == (depth_ != nullptr ? depth_->index : -1)) frame.depth = depth_of(bytes);
        frame.time = static_cast<double>(packet_->pts) * main->time_base.num / main->time_base.den;
        if (!picture_.empty()) frame.colour = last_picture(depth_ != nullptr);
        ++read_;
      }
      av_packet_unref(packet_.get());
      if (wanted) return Got::frame;
    }
  }

private:
  void describe(const RecordingSettings& settings) {
    const AVStream& main = depth_ != nullptr ? *depth_ : *colour_;
    const AVCodecParameters& parameters = *main.codecpar;
    const double fps = main.avg_frame_rate.num > 0 ? av_q2d(main.avg_frame_rate) : 30;
    CameraFile& file = format_.camera.file;
    if (depth_ == nullptr) {
      format_.content = RawFormat::Content::colour;
      file.camera.width = parameters.width;
      file.camera.height = parameters.height;
    } else {
      CameraSearch search;
      search.frames = format_.name;
      search.timed = false;
      search.size_of_frames = [&]() -> ImageSize { return {parameters.width, parameters.height}; };
      if (settings.camera_files.empty()) {
        search.stated = azure_kinect_depth_camera(calibration_of(*file_), parameters.width, parameters.height);
      }
      format_.camera = find_camera(search, settings);
    }
    if (!(file.fps > 0)) file.fps = fps;
  }

  // Depth can do without a picture that is damaged.
  Picture last_picture(bool optional) const {
    try {
      return decoded_picture(picture_);
    } catch (const Error&) {
      if (optional) return {};
      throw;
    }
  }

  // 16 bits, the higher byte first.
  DepthImage depth_of(std::string_view bytes) const {
    DepthImage image{depth_->codecpar->width, depth_->codecpar->height, {}};
    const std::size_t pixels = static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height);
    if (bytes.size() < 2 * pixels) return {};  // a gap: it does not fit the camera
    image.units.resize(pixels);
    for (std::size_t i = 0; i < pixels; ++i) {
      image.units[i] = static_cast<std::uint16_t>(static_cast<std::uint8_t>(bytes[2 * i]) << 8 |
                                                  static_cast<std::uint8_t>(bytes[2 * i + 1]));
    }
    return image;
  }

  File file_;
  Packet packet_;
  const AVStream* depth_ = nullptr;
  const AVStream* colour_ = nullptr;
  std::string picture_;  // the last one
  std::size_t read_ = 0;
};

}  // namespace

bool azure_kinect_built_in() { return true; }

bool is_azure_kinect_file(const std::string& path) {
  if (extension_of(path) != ".mkv") return false;
  try {
    return !calibration_of(*open_file(path)).empty();
  } catch (const Error&) {
    return false;
  }
}

RawOpener azure_kinect_opener(const std::string& path, const RecordingSettings& settings, SourceUse use) {
  return [path, settings, use] { return std::make_unique<AzureKinectFile>(path, settings, use); };
}

}  // namespace kinema::io
