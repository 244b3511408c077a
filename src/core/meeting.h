// An exchange between threads of one process, which read each other's memory.
#pragma once

#include "kinema/exchange.h"

#include <array>
#include <atomic>
#include <memory>
#include <stdexcept>
#include <vector>

namespace kinema {

/// Thrown to the parts that wait for one that failed.
class MeetingEnded : public std::runtime_error {
public:
  MeetingEnded() : std::runtime_error("another part of the computation has failed") {}
};

class Meeting {
public:
  explicit Meeting(int parts);
  ~Meeting();
  Meeting(const Meeting&) = delete;
  Meeting& operator=(const Meeting&) = delete;

  /// Of one part, for its thread; lives as long as the meeting.
  Exchange& exchange(int part);

  /// A part has failed: whoever waits for it, or will, throws MeetingEnded.
  void end();

private:
  class Member;

  // What each part lets the others read in an exchange, and the transfer by which it has written it.
  struct Shown {
    explicit Shown(int parts)
        : data(static_cast<std::size_t>(parts), nullptr), transfers(static_cast<std::size_t>(parts), nullptr) {}

    const char* at(const Items& items, int part, std::size_t item) const {
      return static_cast<const char*>(data[static_cast<std::size_t>(part)]) + item * items.bytes_each;
    }

    std::vector<const void*> data;
    std::vector<const Transfer*> transfers;
  };

  // A part that reads memory of others.
  class Reader;

  // Until all parts are here.
  void wait();
  // Until no part reads memory of others: where an exchange has failed, it may be freed only then.
  void wait_for_readers();

  int parts_;
  std::atomic<int> arrived_ = 0;
  std::atomic<unsigned> turn_ = 0;  // counts the times that all were here
  std::atomic<bool> ended_ = false;
  std::atomic<int> readers_ = 0;
  int spins_ = 0;                  // looks at turn_ before a thread sleeps
  std::array<Shown, 2> shown_;     // of every other exchange
  std::vector<const void*> sums_;  // of each part, in sum_in_turn()
  std::vector<std::unique_ptr<Member>> members_;
};

}  // namespace kinema
