// What a tracker tells, frame by frame, to any number of pages: the newest frame for those who watch, and as many of the
// frames before as its memory holds for those who look back. Telling never waits for anybody.
#pragma once

#include "serve/packet.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace kinema::serve {

class Channel {
public:
  /// `told` is called after every change, by the thread that made it.
  Channel(std::string name, std::size_t history_bytes, std::function<void()> told);

  const std::string& name() const { return name_; }

  /// What every page must know before the first frame, such as the skeleton. Replaces what was said before.
  void open(Packet opening);

  /// The index that the next frame will have; for the one thread that publishes.
  std::uint64_t next_index() const;

  void publish(Packet frame);

  /// Another run begins: what was before is gone, indices go on.
  void begin();

  /// No frame will follow.
  void finish();

  struct State {
    std::uint64_t first = 0, end = 0;  ///< frames first <= index < end are still here
    std::uint64_t begin = 0;           ///< the first frame of this run
    std::uint64_t opening = 0;         ///< how often open() was called
    bool finished = false;
  };
  State state() const;
  Packet opening() const;

  /// Nothing where the frame is not here, or not here any more.
  std::optional<Packet> frame(std::uint64_t index) const;

private:
  std::string name_;
  std::size_t most_bytes_;
  std::function<void()> told_;
  mutable std::mutex mutex_;
  Packet opening_;
  std::deque<Packet> frames_;
  std::size_t bytes_ = 0;
  State state_;
};

/// All channels of a program, and who is to be woken when one of them has something new.
class Hub {
public:
  /// Memory for frames gone by, of each channel.
  explicit Hub(std::size_t history_bytes = std::size_t{256} << 20) : history_bytes_(history_bytes) {}
  Hub(const Hub&) = delete;
  Hub& operator=(const Hub&) = delete;

  /// Made where there is none of this name. Lives as long as the hub.
  Channel& channel(const std::string& name);
  Channel* find(const std::string& name);
  std::vector<Channel*> channels();

  /// Is woken by any thread at any time; it must only pass the word on.
  class Sleeper {
  public:
    virtual ~Sleeper() = default;
    virtual void wake() = 0;
  };
  void add(Sleeper& sleeper);
  void remove(Sleeper& sleeper);  ///< afterwards it is not woken any more

  /// Of all pages together.
  struct Counts {
    std::atomic<std::uint64_t> sent = 0;     ///< frames
    std::atomic<std::uint64_t> skipped = 0;  ///< frames that a page did not get since newer ones were there
  };
  Counts& counts() { return counts_; }

private:
  void wake_all();

  std::size_t history_bytes_;
  std::mutex channels_mutex_, sleepers_mutex_;
  std::map<std::string, Channel> channels_;
  std::set<Sleeper*> sleepers_;
  Counts counts_;
};

}  // namespace kinema::serve
