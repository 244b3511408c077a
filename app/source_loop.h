// Takes the frames of a source through a tracker into files, with one policy for every way in which that can end.
//
//   SourceLoop loop(source, {run.start, run.frames}, "frames");
//   loop.run([&] {
//     for (io::Frame frame; loop.next(frame);) sinks.add(frame, tracker.track(...));
//   });
//   loop.finish([&] { sinks.commit(); });
//
// Ctrl-C ends the loop after the frame under way. Where the source breaks off, or a step throws, what was done is kept:
// finish() commits it and then throws the Error, with a word on where it stopped.
#pragma once

#include "app/interrupt.h"
#include "app/progress.h"
#include "kinema/error.h"
#include "kinema/source.h"

#include <cstddef>
#include <optional>
#include <string>

namespace kinema::app {

/// Which frames of a source to take.
struct FrameRange {
  long start = 0;          ///< number of the first frame
  std::size_t frames = 0;  ///< at most; 0: all
};

class SourceLoop {
public:
  /// `what` names the frames in the progress bar.
  SourceLoop(io::Source& source, FrameRange range, const std::string& what = "frames");

  /// The next frame of the range, gaps included; false where there is none: at the end, after Ctrl-C, or where the source
  /// broke off.
  bool next(io::Frame& frame);

  /// Calls `work`, which takes frames by next(); an Error that ends it waits for finish().
  template <class Work>
  void run(Work&& work) {
    try {
      work();
    } catch (const Error& error) {
      broken_ = error;
    }
  }

  /// Calls `commit`, unless there is nothing to keep. Then throws what ended the loop early, if anything did; also where
  /// the range holds no frame.
  template <class Commit>
  void finish(Commit&& commit) {
    check_range();
    if (!broken_) return commit();
    if (frames_ > 0) keep(commit);
    throw_broken();
  }

  std::size_t frames() const { return frames_; }       ///< handed on by next()
  std::size_t total() const { return total_; }         ///< that will be, as far as known; 0: not known
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
  void check_range() const;
  [[noreturn]] void throw_broken() const;

  io::Source& source_;
  FrameRange range_;
  std::size_t total_;
  Progress progress_;
  const Interrupt interrupt_;
  std::size_t frames_ = 0;
  bool kept_ = false;
  std::optional<Error> broken_;
};

}  // namespace kinema::app
