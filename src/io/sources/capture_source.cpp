#include "io/sources/openers.h"

#include "core/unix_time.h"
#include "io/cameras/source_camera.h"
#include "io/pictures/video_capture.h"
#include "kinema/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

namespace kinema::io {
namespace {

// The numbers of "stereo:0" or "stereo:0,1".
std::vector<int> numbers_of(const std::string& word) {
  std::string_view text = std::string_view(word).substr(7);
  std::vector<int> numbers;
  for (;;) {
    int number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const auto used = static_cast<std::size_t>(end - text.data());
    if (error != std::errc{} || number < 0 || number > 999 || (used < text.size() && text[used] != ',')) break;
    numbers.push_back(number);
    if (used == text.size()) {
      if (numbers.size() <= 2) return numbers;
      break;
    }
    text.remove_prefix(used + 1);
  }
  throw Error(fmt::format("{}: is not a stereo camera: give its number as in stereo:0, or two as in stereo:0,1", word));
}

class CaptureSource final : public RawSource {
public:
  CaptureSource(const std::string& word, const RecordingSettings& settings, SourceUse use) {
    format_.name = word;
    format_.live = format_.reopens = true;
    if (names_stereo_camera(word)) {
      for (int number : numbers_of(word)) captures_.emplace_back(number, settings.fps);
    } else {
      captures_.emplace_back(word);
    }
    const bool pairs = names_stereo_camera(word) || use == SourceUse::body || use == SourceUse::raw_pairs ||
                       (use == SourceUse::any && !settings.camera_files.empty());
    CameraCapture& first = captures_.front();
    CameraFile& file = format_.camera.file;
    if (pairs && use == SourceUse::raw_pairs) {
      format_.content = RawFormat::Content::pairs;
      file.camera.width = first.width() / (captures_.size() == 2 ? 1 : 2);
      file.camera.height = first.height();
    } else if (pairs) {
      find_pairs(settings);
    } else {
      format_.content = RawFormat::Content::colour;
      file.camera.width = first.width();
      file.camera.height = first.height();
      file.fps = settings.fps;
    }
    if (!(file.fps > 0)) file.fps = first.fps() > 0 ? first.fps() : usual_fps;
  }

  Got read(RawFrame& frame, std::chrono::milliseconds /*OpenCV has its own limit*/) override {
    // both pictures of a pair are taken first, and decoded then
    bool good = std::all_of(captures_.begin(), captures_.end(), [](CameraCapture& capture) { return capture.grab(); });
    frame.taken = unix_time() - captures_.front().age();
    frame.time = captures_.front().stream_time().value_or(frame.taken);
    Picture both;
    good = good && captures_.front().retrieve(both);
    if (captures_.size() == 2) good = good && captures_.back().retrieve(frame.right);
    if (!good) throw Error(fmt::format("{}: gives no more frames", format_.name), Error::Cause::running);
    if (format_.content == RawFormat::Content::colour) {
      frame.colour = std::move(both);
    } else if (captures_.size() == 2) {
      frame.left = std::move(both);
    } else {
      frame.left = half(both, 0);
      frame.right = half(both, 1);
    }
    return Got::frame;
  }

private:
  void find_pairs(const RecordingSettings& settings) {
    format_.content = RawFormat::Content::pairs;
    const int parts = captures_.size() == 2 ? 1 : 2;
    CameraCapture& first = captures_.front();
    CameraSearch search;
    search.use = CameraUse::stereo;
    search.frames = format_.name;
    search.timed = false;
    search.size_of_frames = [&]() -> ImageSize { return {first.width() / parts, first.height()}; };
    format_.camera = find_camera(search, settings);
    const Camera& camera = format_.camera.file.camera;
    for (CameraCapture& capture : captures_) {
      capture.request_size(parts * camera.width, camera.height);
      if (capture.width() == parts * camera.width && capture.height() == camera.height) continue;
      throw Error(fmt::format("{}: gives {} x {} pixels, where {} says {} x {}{}", format_.name, capture.width(),
                              capture.height(), format_.camera.name, camera.width, camera.height,
                              parts == 2 ? ", two of them side by side" : ""));
    }
  }

  std::vector<CameraCapture> captures_;
};

}  // namespace

bool names_stereo_camera(const std::string& word) { return word.starts_with("stereo:"); }

bool names_network_video(const std::string& word) {
  constexpr std::array prefixes = {"rtsp://", "rtmp://", "rtp://", "udp://", "tcp://", "http://", "https://", "srt://"};
  return std::any_of(prefixes.begin(), prefixes.end(), [&](const char* prefix) { return word.starts_with(prefix); });
}

RawOpener capture_opener(const std::string& word, const RecordingSettings& settings, SourceUse use) {
  if (use == SourceUse::colour && names_stereo_camera(word)) {
    throw Error(fmt::format("{}: is a stereo camera; head and face need one picture, as of camera:0", word));
  }
  return [word, settings, use] { return std::make_unique<CaptureSource>(word, settings, use); };
}

}  // namespace kinema::io
