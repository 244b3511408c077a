#include "io/sources/openers.h"

#include "core/unix_time.h"
#include "io/files/input_file.h"
#include "io/files/text.h"
#include "io/pictures/video_capture.h"
#include "kinema/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace kinema::io {
namespace fs = std::filesystem;
namespace {

class CameraSource final : public RawSource {
public:
  CameraSource(int number, double fps) : capture_(number, fps) {
    format_.content = RawFormat::Content::colour;
    format_.live = format_.reopens = true;
    format_.name = capture_.name();
    format_.camera.file.camera.width = capture_.width();
    format_.camera.file.camera.height = capture_.height();
    format_.camera.file.fps = capture_.fps() > 0 ? capture_.fps() : usual_fps;
  }

  Got read(RawFrame& frame, std::chrono::milliseconds /*OpenCV has its own limit*/) override {
    if (!capture_.next(frame.colour)) {
      throw Error(fmt::format("{} gives no more frames: was it unplugged?", capture_.name()), Error::Cause::running);
    }
    frame.time = frame.taken = unix_time() - capture_.age();
    return Got::frame;
  }

private:
  CameraCapture capture_;
};

}  // namespace

std::optional<int> camera_number(const std::string& word) {
  std::string_view digits = word;
  const bool named = digits.starts_with("camera:"), device = digits.starts_with("/dev/video");
  if (named) digits.remove_prefix(7);
  if (device) digits.remove_prefix(10);
  if (!named && !device && is_there(word)) return std::nullopt;
  const auto number = exact_number_in<int>(digits);
  if (number && *number >= 0 && *number < 1000) return number;
  if (named) throw Error(fmt::format("{}: is not a camera: give its number, as in camera:0", word));
  return std::nullopt;
}

RawOpener camera_opener(int number, double fps) {
  return [number, fps] { return std::make_unique<CameraSource>(number, fps); };
}

std::vector<Connected> connected_cameras() {
  std::vector<std::pair<int, Connected>> found;
  std::error_code error;
  for (fs::directory_iterator entry("/sys/class/video4linux", error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string device = entry->path().filename().string();
    const auto number = camera_number("/dev/" + device);
    if (!number) continue;
    std::string name;
    std::getline(std::ifstream(entry->path() / "name"), name);
    found.emplace_back(*number, Connected{fmt::format("camera:{}", *number), name});
  }
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<Connected> cameras;
  cameras.reserve(found.size());
  for (auto& [number, camera] : found) cameras.push_back(std::move(camera));
  return cameras;
}

}  // namespace kinema::io
