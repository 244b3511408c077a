#include "io/recordings/raw_recording.h"

#include "core/unix_time.h"
#include "io/recordings/recorder.h"
#include "io/sources/reopening_source.h"
#include "kinema/error.h"

#include <fmt/format.h>

#include <cmath>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

namespace kinema::io {
namespace {

using namespace std::chrono_literals;

// What recorded and live sources have in common.
class RawFrames : public Recording {
public:
  std::optional<std::size_t> size() const final { return size_; }
  bool holds_pictures() const final { return pictures_; }

protected:
  RawFrames(const RawFormat& format, const RecordingSettings& settings)
      : Recording(format.live ? SourceKind::camera : SourceKind::video),
        converter_(format, settings),
        name_(format.name),
        size_(format.size),
        pictures_(settings.colour && (format.pictures || format.content != RawFormat::Content::depth)) {
    set_camera(converter_.camera());
    from_pairs_ = format.content == RawFormat::Content::pairs;
  }

  void convert(RawFrame raw, long index, Frame& frame) const {
    frame.index = index;
    frame.time = raw.time;
    frame.taken = raw.taken;
    frame.name = name_;
    converter_.convert(std::move(raw), frame);
  }

private:
  FrameConverter converter_;
  std::string name_;
  std::optional<std::size_t> size_;
  bool pictures_;
};

class RecordedFrames final : public RawFrames {
public:
  RecordedFrames(std::unique_ptr<ReopeningSource> source, const RecordingSettings& settings)
      : RawFrames(source->format(), settings), source_(std::move(source)) {}

  bool ready(std::chrono::milliseconds wait) override {
    if (!got_ || *got_ == RawSource::Got::nothing) got_ = source_->read(raw_, wait);
    return *got_ != RawSource::Got::nothing;
  }

private:
  bool read(Frame& frame) override {
    while (!ready(1s)) {
    }
    if (*got_ == RawSource::Got::end) return false;
    got_.reset();
    const long index = raw_.index.value_or(next_);
    next_ = index + 1;
    convert(std::exchange(raw_, {}), index, frame);
    return true;
  }

  std::unique_ptr<ReopeningSource> source_;
  std::optional<RawSource::Got> got_;  // what waits in raw_
  RawFrame raw_;
  long next_ = 0;
};

// A thread reads the source, so that the newest frame is at hand whenever the tracker is ready for it.
class LiveFrames final : public RawFrames {
public:
  LiveFrames(std::unique_ptr<ReopeningSource> source, const RecordingSettings& settings)
      : RawFrames(source->format(), settings),
        settings_(settings),
        source_(std::move(source)),
        thread_([this] { run(); }) {}

  ~LiveFrames() override {
    {
      const std::lock_guard lock(mutex_);
      ending_ = true;
    }
    thread_.join();
  }
  LiveFrames(const LiveFrames&) = delete;
  LiveFrames& operator=(const LiveFrames&) = delete;

  bool ready(std::chrono::milliseconds wait) override {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, wait, [this] { return fresh_ || ended_; });
  }

  std::size_t late() const override {
    const std::lock_guard lock(mutex_);
    return late_;
  }

  std::size_t reopened() const override { return source_->reopened(); }

  void start_copy(const std::filesystem::path& folder) override {
    const std::lock_guard lock(copy_mutex_);
    if (recorder_) throw Error(fmt::format("{}: is being recorded already", copy_folder_.string()));
    recorder_ = std::make_unique<Recorder>(folder, source_->format(), settings_);
    copy_folder_ = folder;
  }

  std::optional<CopyStatus> end_copy() override {
    std::unique_ptr<Recorder> recorder;
    {
      const std::lock_guard lock(copy_mutex_);
      recorder = std::move(recorder_);
    }
    if (!recorder) return std::nullopt;
    std::string failed;
    try {
      recorder->finish();
    } catch (const Error& error) {
      failed = error.what();
    }
    return CopyStatus{copy_folder_, recorder->written(), recorder->dropped(), failed};
  }

  std::optional<CopyStatus> copy() const override {
    const std::lock_guard lock(copy_mutex_);
    if (!recorder_) return std::nullopt;
    return CopyStatus{copy_folder_, recorder_->written(), recorder_->dropped(), recorder_->failed()};
  }

private:
  bool read(Frame& frame) override {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return fresh_ || ended_; });
    if (!fresh_) {
      if (broken_) throw *broken_;
      return false;
    }
    RawFrame raw = std::exchange(newest_, {});
    const long index = index_;
    frame.late = std::exchange(replaced_, 0);
    fresh_ = false;
    lock.unlock();
    convert(std::move(raw), index, frame);
    return true;
  }

  void run() {
    try {
      for (long next = 0; !ending();) {
        RawFrame raw;
        const RawSource::Got got = source_->read(raw, 100ms);
        if (got == RawSource::Got::frame) keep(std::move(raw), next++);
        if (got == RawSource::Got::end) return end(std::nullopt);
      }
    } catch (const Error& error) {
      end(error);
    } catch (const std::exception& error) {
      end(Error(error.what(), Error::Cause::running));
    }
  }

  void keep(RawFrame raw, long index) {
    if (raw.taken == 0) raw.taken = unix_time();
    {
      const std::lock_guard lock(copy_mutex_);
      if (recorder_) recorder_->add(raw);
    }
    {
      const std::lock_guard lock(mutex_);
      if (fresh_) ++late_, ++replaced_;
      newest_ = std::move(raw);
      index_ = index;
      fresh_ = true;
    }
    changed_.notify_all();
  }

  bool ending() const {
    const std::lock_guard lock(mutex_);
    return ending_;
  }

  void end(std::optional<Error> why) {
    {
      const std::lock_guard lock(mutex_);
      ended_ = true;
      broken_ = std::move(why);
    }
    changed_.notify_all();
  }

  const RecordingSettings settings_;
  const std::unique_ptr<ReopeningSource> source_;  // read by the thread only
  mutable std::mutex copy_mutex_;                  // guards the next two
  std::unique_ptr<Recorder> recorder_;
  std::filesystem::path copy_folder_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  RawFrame newest_;  // if fresh
  long index_ = 0;
  bool fresh_ = false, ended_ = false, ending_ = false;
  std::optional<Error> broken_;
  std::size_t late_ = 0, replaced_ = 0;  // in all, and by the newest
  std::thread thread_;                   // last: it uses the rest
};

}  // namespace

FrameConverter::FrameConverter(const RawFormat& format, const RecordingSettings& settings)
    : content_(format.content), file_(format.camera.file), name_(format.name), colour_(settings.colour) {
  if (content_ == RawFormat::Content::depth) images_.emplace(format.camera);
  if (content_ == RawFormat::Content::pairs) pairs_.emplace(format.camera, settings);
}

const CameraFile& FrameConverter::camera() const {
  return images_ ? images_->camera() : pairs_ ? pairs_->camera() : file_;
}

void FrameConverter::convert(RawFrame raw, Frame& frame) const {
  try {
    fill(raw, frame);
  } catch (const Error& error) {
    frame.depth.clear();
    frame.pair = {};
    frame.gap = fmt::format("{}: frame {}: {}", name_, frame.index, error.what());
  }
}

void FrameConverter::fill(RawFrame& raw, Frame& frame) const {
  if (content_ == RawFormat::Content::pairs) {
    pairs_->fill(raw.left, raw.right, frame);
    if (!colour_) frame.colour = {};
    return;
  }
  if (content_ == RawFormat::Content::colour) {
    frame.colour = std::move(raw.colour);
    if (frame.colour.empty()) throw Error("holds no picture");
    const Picture& picture = frame.colour;
    const Camera& expected = file_.camera;
    if (expected.width > 0 && (picture.width != expected.width || picture.height != expected.height)) {
      const std::string why = fmt::format("has {} x {} pixels, where the frames before have {} x {}", picture.width,
                                          picture.height, expected.width, expected.height);
      frame.colour = {};
      throw Error(why);
    }
    return;
  }
  if (colour_ && !raw.colour.empty()) frame.colour = fitted(raw.colour, camera().camera);
  frame.depth = raw.metres.empty() ? images_->metres(raw.depth) : checked(std::move(raw.metres));
}

std::vector<float> FrameConverter::checked(std::vector<float> metres) const {
  bool any = false;
  for (float& depth : metres) {
    if (!std::isfinite(depth) || depth < 0) depth = 0;
    any = any || depth > 0;
  }
  if (!any) throw Error("holds no measurement: every pixel is 0");
  return metres;
}

std::pair<Picture, Picture> FrameConverter::rectified(const RawFrame& raw) const {
  return pairs_->rectified(raw.left, raw.right);
}

std::unique_ptr<Recording> open_raw(const RawOpener& open, const RecordingSettings& settings) {
  auto source = std::make_unique<ReopeningSource>(open, settings.reconnect, settings.wait.stopped);
  if (source->format().live) return std::make_unique<LiveFrames>(std::move(source), settings);
  return std::make_unique<RecordedFrames>(std::move(source), settings);
}

}  // namespace kinema::io
