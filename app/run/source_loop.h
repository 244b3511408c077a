// Passes the frames of a source through a tracker into files, with one policy for all the ways in which that can end.
//
//   SourceLoop loop(source, {run.start, run.frames}, "frames");
//   loop.run([&] {
//     for (io::Frame frame; loop.next(frame);) sinks.add(frame, tracker.track(...));
//   });
//   loop.finish([&] { sinks.commit(); });
//
// Ctrl-C ends the loop after the current frame. If the source fails, or a step throws, the results so far are kept:
// finish() commits them and then throws the Error, which says where it stopped.
#pragma once

#include "app/options/interrupt.h"
#include "app/options/progress.h"
#include "kinema/error.h"
#include "kinema/source.h"

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>

namespace kinema::app {

/// Which frames of a source to take.
struct FrameRange {
  long start = 0;          ///< number of the first frame
  std::size_t frames = 0;  ///< at most; 0: all
};

/// What a live source did beside the frames that were used; all 0 for files.
struct LiveCounts {
  std::size_t late = 0;      ///< frames replaced by newer ones before they could be used
  std::size_t reopened = 0;  ///< times that the source disappeared and came back

  /// For the summary of a run: "" or "; 12 frames too late".
  std::string words() const;
};

class SourceLoop {
public:
  /// `what` names the frames in the progress bar.
  SourceLoop(io::Source& source, FrameRange range, const std::string& what = "frames");

  /// The next frame of the range, gaps included; false if there is none: at the end, after Ctrl-C, or if the source
  /// failed.
  bool next(io::Frame& frame);

  /// From now on next() waits until a frame of a film is due, as if it came from a camera: for receivers that show it.
  void keep_own_speed() { own_speed_ = !source_.live() && source_.consecutive(); }

  /// Calls `work`, which takes frames with next(); the first Error that ends it is stored for finish().
  template <class Work>
  void run(Work&& work) {
    try {
      work();
    } catch (const Error& error) {
      if (!broken_) broken_ = error;  // the first one is the cause; the rest follows from it
    }
  }

  /// Calls `commit`, unless there is nothing to keep. Then throws the Error that ended the loop early, if any; also if
  /// the range holds no frame.
  template <class Commit>
  void finish(Commit&& commit) {
    check_range();
    if (broken_ && frames_ > 0) keep(commit);
    if (broken_) throw_broken();
    if (frames_ > 0) commit();  // else it was stopped before the first one, and former results stay
  }

  std::size_t frames() const { return frames_; }  ///< returned by next()
  std::size_t total() const { return total_; }    ///< expected in total; 0: unknown
  LiveCounts live() const { return {source_.late(), source_.reopened()}; }
  bool stopped() const { return interrupt_.asked(); }  ///< by Ctrl-C

private:
  template <class Commit>
  void keep(Commit& commit) {
    try {
      commit();
      kept_ = true;
    } catch (const Error&) {
      // the first Error says more: where the disk is full, it came from the same file
    }
  }
  bool read(io::Frame& frame);
  bool wait_for(io::Frame& frame);
  void check_range() const;
  [[noreturn]] void throw_broken() const;

  io::Source& source_;
  FrameRange range_;
  std::size_t total_;
  Progress progress_;
  const Interrupt interrupt_;
  std::size_t frames_ = 0;
  bool kept_ = false;
  bool own_speed_ = false;
  std::chrono::steady_clock::time_point began_;  // when the frame of first_time_ was due
  double first_time_ = 0;
  std::optional<Error> broken_;
};

}  // namespace kinema::app
