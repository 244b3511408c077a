// The frames that a tracker publishes to any number of pages: the newest for those that follow live, and as many earlier
// ones as the memory for them holds for those that seek. Publishing never waits.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace kinema::serve {

/// One message to a page. Its bytes are shared by all sessions that send it.
struct Packet {
  std::shared_ptr<const std::string> bytes;
  bool binary = false;  ///< a message with arrays (message.h); else a JSON object

  static Packet text(std::string json) { return {std::make_shared<const std::string>(std::move(json)), false}; }
  static Packet arrays(std::string message) { return {std::make_shared<const std::string>(std::move(message)), true}; }
};

class Channel {
public:
  /// `changed` is called after every change, by the thread that made it.
  Channel(std::string name, std::size_t history_bytes, std::function<void()> changed);

  const std::string& name() const { return name_; }

  /// What every page must know before the first frame, such as the skeleton. Replaces the previous opening.
  void open(Packet opening);

  /// The index that the next frame will have; for the one thread that publishes.
  std::uint64_t next_index() const;

  void publish(Packet frame);

  /// Memory for earlier frames until another run begins, in place of the hub's.
  void set_history_bytes(std::size_t most);

  /// Another run begins: earlier frames are dropped, indices continue.
  void begin();

  /// No frame will follow.
  void finish();

  struct State {
    std::uint64_t first = 0, end = 0;  ///< frames first <= index < end are available
    std::uint64_t begin = 0;           ///< the first frame of this run
    std::uint64_t opening = 0;         ///< how often open() was called
    bool finished = false;
  };
  State state() const;
  Packet opening() const;

  /// Nothing where there is no such frame, or not any more.
  std::optional<Packet> frame(std::uint64_t index) const;

private:
  void drop_oldest();

  std::string name_;
  const std::size_t usual_bytes_;
  std::size_t most_bytes_;
  std::function<void()> changed_;
  mutable std::mutex mutex_;
  Packet opening_;
  std::deque<Packet> frames_;
  std::size_t bytes_ = 0;
  State state_;
};

/// All channels of a program, and the subscribers to be woken when one of them changes.
class Hub {
public:
  /// Memory for the earlier frames of each channel.
  explicit Hub(std::size_t history_bytes = std::size_t{256} << 20) : history_bytes_(history_bytes) {}
  Hub(const Hub&) = delete;
  Hub& operator=(const Hub&) = delete;

  /// Made where there is none of this name. Lives as long as the hub.
  Channel& channel(const std::string& name);
  Channel* find(const std::string& name);
  std::vector<Channel*> channels();

  /// Is woken by any thread at any time, and must return at once.
  class Subscriber {
  public:
    virtual ~Subscriber() = default;
    virtual void wake() = 0;
  };
  void add(Subscriber& subscriber);
  void remove(Subscriber& subscriber);  ///< afterwards it is not woken any more

  /// Of all pages together.
  struct Counts {
    std::atomic<std::uint64_t> sent = 0;     ///< frames
    std::atomic<std::uint64_t> skipped = 0;  ///< frames that a page did not get because newer ones were there
  };
  Counts& counts() { return counts_; }

private:
  void wake_all();

  std::size_t history_bytes_;
  std::mutex channels_mutex_, subscribers_mutex_;
  std::map<std::string, Channel> channels_;
  std::set<Subscriber*> subscribers_;
  Counts counts_;
};

}  // namespace kinema::serve
