// Frames that a page's own camera sends, and the thread that tracks them. The newest frame is tracked; those that came
// while another was worked on are not.
#pragma once

#include "kinema/image.h"
#include "serve/conversation.h"

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace kinema::serve {

struct CameraFrame {
  std::uint64_t sequence = 0;
  double time = 0;  ///< milliseconds of the page's clock
  std::size_t width = 0, height = 0;
  std::vector<std::uint8_t> rgba;  ///< the last byte has no meaning

  ColourView view() const { return {rgba.data(), width, height, 4 * width, PixelFormat::rgba}; }
};

/// Of a message {"do":"camera",...}. Throws Error where it holds no picture of a camera.
CameraFrame camera_frame(const Message& message);

/// Whom a page's camera is for: {"tracker":"face"}, and else the head.
bool is_for(const nlohmann::json& header, const char* tracker);

/// The beginning of an answer to a frame.
nlohmann::ordered_json camera_answer(const char* tracker, const CameraFrame& frame, std::uint64_t skipped);

/// Places for cameras: each has a thread, so there is an end to them.
class CameraSeats {
public:
  static constexpr int most = 8;

  bool take();
  void leave();

private:
  std::mutex mutex_;
  int taken_ = 0;
};

class CameraThread {
public:
  using Track = std::function<void(const CameraFrame&, std::uint64_t skipped)>;
  using Wish = std::function<void(const CameraFrame&)>;

  /// What `track` throws is told to the page. Throws Error where all seats are taken.
  CameraThread(Answers& answers, CameraSeats& seats, Track track);
  ~CameraThread();
  CameraThread(const CameraThread&) = delete;
  CameraThread& operator=(const CameraThread&) = delete;

  /// Takes the frame, and gives back one whose memory can be used again.
  void hand(CameraFrame& frame);

  /// Is done with the last frame that was tracked, which is empty before the first; of several wishes the last counts.
  void ask(Wish wish);

private:
  void run();

  Answers& answers_;
  CameraSeats& seats_;
  Track track_;
  std::mutex mutex_;
  std::condition_variable news_;
  CameraFrame next_;  // waits to be tracked, if fresh
  bool fresh_ = false, ending_ = false;
  std::uint64_t skipped_ = 0;
  Wish wish_;
  CameraFrame frame_;  // the thread's own
  std::thread thread_;
};

}  // namespace kinema::serve
