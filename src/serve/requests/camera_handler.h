// The camera of a page before one tracker: a thread tracks its frames from the first one until the camera is switched off. The
// newest frame is tracked; those that arrived while another was tracked are skipped.
#pragma once

#include "kinema/image.h"
#include "serve/page_session.h"

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace kinema::serve {

struct CameraFrame {
  std::uint64_t sequence = 0;
  double time = 0;  ///< milliseconds of the page's clock
  std::size_t width = 0, height = 0;
  std::vector<std::uint8_t> rgba;  ///< the fourth byte of a pixel is unused

  ColourView view() const { return {rgba.data(), width, height, 4 * width, PixelFormat::rgba}; }
};

/// Tells whether frames come from one camera: of one size, by one clock.
class CameraContinuity {
public:
  /// False for the first frame, and for one of another size or no later time than the one before.
  bool continues(const CameraFrame& frame);

private:
  double time_ = 0;
  std::size_t width_ = 0, height_ = 0;
};

/// Of a message {"do":"camera",...}. Throws Error where it holds no picture of a camera.
CameraFrame camera_frame(const Message& message);

/// Whether a message is for this tracker: {"tracker":"face"}, and the head without it.
bool is_for(const nlohmann::json& header, const char* tracker);

/// The beginning of an answer to a frame.
nlohmann::ordered_json camera_answer(const char* tracker, const CameraFrame& frame, std::uint64_t skipped);

/// Limits the number of cameras, each of which has a thread.
class CameraSlots {
public:
  static constexpr int most = 8;

  bool acquire();
  void release();

private:
  std::mutex mutex_;
  int taken_ = 0;
};

/// Tracks the frames of one camera and answers each, on the camera's thread.
class CameraTracker {
public:
  virtual ~CameraTracker() = default;
  virtual void track(const CameraFrame& frame, std::uint64_t skipped) = 0;
};

class CameraThread {
public:
  using Request = std::function<void(const CameraFrame&)>;

  /// What `tracker` throws is reported to the page. Throws Error where no slot is free.
  CameraThread(PageSender& sender, CameraSlots& slots, std::unique_ptr<CameraTracker> tracker);
  ~CameraThread();
  CameraThread(const CameraThread&) = delete;
  CameraThread& operator=(const CameraThread&) = delete;

  /// Takes the frame, and returns one whose memory can be reused.
  void submit(CameraFrame& frame);

  /// Runs on the last frame that was tracked, which is empty before the first; of several requests only the last runs.
  void post(Request request);

private:
  void run();

  PageSender& sender_;
  CameraSlots& slots_;
  std::unique_ptr<CameraTracker> tracker_;
  std::mutex mutex_;
  std::condition_variable news_;
  CameraFrame next_;  // waits to be tracked, if fresh
  bool fresh_ = false, ending_ = false;
  std::uint64_t skipped_ = 0;
  Request request_;
  CameraFrame frame_;  // the thread's own
  std::thread thread_;
};

/// Messages {"do":"camera",...} with the array "picture", and requests {"do":"camera off"}, for the tracker of this name.
class CameraHandler : public RequestHandler {
public:
  bool request(const std::string& what, const nlohmann::json& header) override;
  bool message(const std::string& what, const Message& message) override;

protected:
  using Make = std::function<std::unique_ptr<CameraTracker>()>;

  CameraHandler(const char* name, PageSender& sender, CameraSlots& slots, Make make);

  /// Nothing while the camera is off.
  CameraThread* thread() const { return thread_.get(); }

private:
  const char* name_;
  PageSender& sender_;
  CameraSlots& slots_;
  Make make_;
  std::unique_ptr<CameraThread> thread_;
};

}  // namespace kinema::serve
