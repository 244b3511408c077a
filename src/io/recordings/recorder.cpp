#include "io/recordings/recorder.h"

#include "core/threads.h"
#include "io/cameras/camera_file.h"
#include "io/files/input_file.h"
#include "io/files/output_file.h"
#include "io/pictures/image_file.h"
#include "io/recordings/recording_kinds.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

namespace kinema::io {
namespace fs = std::filesystem;
namespace {

// Two seconds of a usual camera: enough for a disk that hesitates.
constexpr std::size_t most_waiting = 60;

void check_free(const fs::path& folder) {
  std::error_code ignored;
  if (is_there(folder / "camera.json")) {
    throw Error(fmt::format("{}: holds a recording already: choose another folder", folder.string()));
  }
  for (const char* kind : frame_folders) {
    if (!is_folder(folder / kind) || fs::is_empty(folder / kind, ignored)) continue;
    throw Error(fmt::format("{}: holds frames in {} already: choose another folder", folder.string(), kind));
  }
}

std::vector<const char*> kinds_of(const RawFormat& format) {
  switch (format.content) {
    case RawFormat::Content::depth:
      return {"depth"};
    case RawFormat::Content::pairs:
      return {"left", "right"};
    default:
      return {"colour"};
  }
}

[[noreturn]] void fail(const fs::path& path, int error) {
  throw Error(fmt::format("{}: could not be written: {}", path.string(), std::strerror(error)), Error::Cause::running);
}

}  // namespace

std::string stamp_name(double time) {
  // at least microseconds, and as many digits as it takes
  std::string text = fmt::format("{:.6f}", time);
  for (int digits = 7; digits < 330 && std::strtod(text.c_str(), nullptr) != time; ++digits) {
    text = fmt::format("{:.{}f}", time, digits);
  }
  const std::size_t whole = text.find('.');
  return std::string(whole < 6 ? 6 - whole : 0, '0') + text;
}

Recorder::Recorder(const fs::path& folder, const RawFormat& format, const RecordingSettings& settings, int threads)
    : folder_(absolute(folder)), format_(format), converter_(format, settings), camera_(converter_.camera()) {
  check_free(folder_);
  if (format_.content == RawFormat::Content::depth) camera_.distortion = format_.camera.file.distortion;
  if (format_.content == RawFormat::Content::colour) camera_.camera = {};  // intrinsics of colour are not known
  make_folder(folder_);
  for (const char* kind : kinds_of(format_)) make_folder(folder_ / kind);
  write_camera_json(folder_ / "camera.json", camera_);
  const int count = threads > 0 ? threads : usable_cores();
  for (int i = 0; i < count; ++i) threads_.emplace_back([this] { run(); });
}

Recorder::~Recorder() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

bool Recorder::add(RawFrame raw) {
  std::unique_lock lock(mutex_);
  if (!format_.live) changed_.wait(lock, [this] { return failed_ || waiting_.size() < most_waiting; });
  if (failed_) return false;
  if (waiting_.size() >= most_waiting) {
    ++dropped_;
  } else {
    waiting_.push_back(std::move(raw));
  }
  lock.unlock();
  changed_.notify_all();
  return true;
}

void Recorder::finish() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return failed_ ? busy_ == 0 : busy_ == 0 && waiting_.empty(); });
  if (failed_) throw *failed_;
}

std::size_t Recorder::written() const {
  const std::lock_guard lock(mutex_);
  return written_;
}

std::size_t Recorder::dropped() const {
  const std::lock_guard lock(mutex_);
  return dropped_;
}

std::size_t Recorder::bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

std::string Recorder::failed() const {
  const std::lock_guard lock(mutex_);
  return failed_ ? failed_->what() : "";
}

void Recorder::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return ending_ || (!failed_ && !waiting_.empty()); });
    if (failed_ || waiting_.empty()) {
      if (ending_) return;
      continue;
    }
    const RawFrame raw = std::move(waiting_.front());
    waiting_.pop_front();
    ++busy_;
    lock.unlock();
    std::optional<Error> error;
    std::size_t size = 0;
    try {
      size = write(raw);
    } catch (const Error& caught) {
      error = caught;
    } catch (const std::exception& caught) {
      error.emplace(caught.what(), Error::Cause::running);
    }
    lock.lock();
    --busy_;
    bytes_ += size;
    if (!error) ++written_;
    if (error && !failed_) failed_ = error;
    changed_.notify_all();
  }
}

std::size_t Recorder::write(const RawFrame& raw) const {
  const std::string name = stamp_name(raw.time);
  std::size_t size = 0;
  // a frame exists once its depth or right picture does: what belongs to it comes before
  if (!raw.colour.empty()) {
    if (format_.content == RawFormat::Content::depth) make_folder(folder_ / "colour");
    size += write_file("colour", name + ".jpg", encoded_jpeg(raw.colour));
  }
  if (format_.content == RawFormat::Content::pairs) {
    const auto [left, right] = converter_.rectified(raw);
    size += write_file("left", name + ".png", encoded_png(left));
    size += write_file("right", name + ".png", encoded_png(right));
  } else if (format_.content == RawFormat::Content::depth) {
    const Camera& camera = camera_.camera;
    const DepthImage image =
        raw.metres.empty() ? raw.depth : units_of(raw.metres, camera.width, camera.height, camera_.depth_scale);
    size += write_file("depth", name + ".png", encoded_png(image));
  }
  return size;
}

// Under a hidden name first, which readers of a folder pass over.
std::size_t Recorder::write_file(const std::string& kind, const std::string& name, const std::string& bytes) const {
  const fs::path path = folder_ / kind / name, partial = folder_ / kind / ("." + name);
  const int file = ::open(partial.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file < 0) fail(path, errno);
  int error = 0;
  for (std::size_t at = 0; at < bytes.size() && error == 0;) {
    const ssize_t count = ::write(file, bytes.data() + at, bytes.size() - at);
    if (count > 0) {
      at += static_cast<std::size_t>(count);
    } else if (count < 0 && errno != EINTR) {
      error = errno;
    }
  }
  if (::close(file) != 0 && error == 0) error = errno;
  if (error == 0 && std::rename(partial.c_str(), path.c_str()) != 0) error = errno;
  if (error != 0) {
    ::unlink(partial.c_str());
    fail(path, error);
  }
  return bytes.size();
}

}  // namespace kinema::io
