#include "core/meeting.h"

#include "core/threads.h"

#include <algorithm>

namespace kinema {

class Meeting::Reader {
public:
  explicit Reader(Meeting& meeting) : meeting_(meeting) { ++meeting_.readers_; }
  ~Reader() {
    --meeting_.readers_;
    meeting_.readers_.notify_all();
  }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

private:
  Meeting& meeting_;
};

class Meeting::Member final : public Exchange {
public:
  Member(Meeting& meeting, int part) : meeting_(meeting), part_(part) {}

  int part() const override { return part_; }
  int parts() const override { return meeting_.parts_; }

protected:
  void do_gather(const Items& items, Transfer& transfer) override {
    read_others(items.data, transfer, [&](const Shown& shown) {
      std::vector<Transfer::Copy> copies;
      for (int p = 0; p < parts(); ++p) {
        const Slice slice = slice_of(items.count, p, parts());
        if (p == part_ || slice.size() == 0) continue;
        copies.push_back({items.at(slice.begin), shown.at(items, p, slice.begin), slice.size() * items.bytes_each});
      }
      copy(copies, shown, transfer);
    });
  }

  void do_fetch(const Items& items, const std::vector<std::vector<int>>& wanted, Transfer& transfer) override {
    const std::vector<int>& mine = wanted[static_cast<std::size_t>(part_)];
    read_others(items.data, transfer, [&](const Shown& shown) {
      std::vector<Transfer::Copy> copies;
      // neighbours that one part has are one copy; on a device, where a copy takes longer than what it moves, so are all
      // that the part has, with those between them, which are of no use here and do no harm
      for (std::size_t begin = 0, end = 0; begin < mine.size(); begin = end) {
        const auto first = static_cast<std::size_t>(mine[begin]);
        const int owner = owner_of(first, items.count, parts());
        const std::size_t limit = slice_of(items.count, owner, parts()).end;
        for (end = begin + 1; end < mine.size(); ++end) {
          const auto next = static_cast<std::size_t>(mine[end]);
          if (next >= limit || (transfer.host() && next != first + (end - begin))) break;
        }
        const std::size_t count = static_cast<std::size_t>(mine[end - 1]) + 1 - first;
        copies.push_back({items.at(first), shown.at(items, owner, first), count * items.bytes_each});
      }
      copy(copies, shown, transfer);
    });
  }

  void do_broadcast(void* data, std::size_t bytes, int from, Transfer& transfer) override {
    read_others(data, transfer, [&](const Shown& shown) {
      if (part_ != from) transfer.copy(data, shown.data[static_cast<std::size_t>(from)], bytes);
    });
  }

  std::vector<const void*> do_share(const void* data, Transfer& transfer) override {
    std::vector<const void*> all;
    read_others(data, transfer, [&](const Shown& shown) {
      if (direct(shown)) all = shown.data;
    });
    return all;
  }

  void do_settle(Transfer& transfer) override {
    read_others(nullptr, transfer, [](const Shown&) {});
  }

  void do_sum_in_turn(std::span<double> sums, const std::function<void()>& add) override {
    const auto shown = [&](int part) {
      return static_cast<const double*>(meeting_.sums_[static_cast<std::size_t>(part)]);
    };
    meeting_.sums_[static_cast<std::size_t>(part_)] = sums.data();
    for (int p = 0; p < parts(); ++p) {
      meeting_.wait();
      if (p != part_) continue;
      if (p > 0) std::copy_n(shown(p - 1), sums.size(), sums.data());
      add();
    }
    meeting_.wait();
    if (part_ + 1 < parts()) {
      // the sums of this part are read by nobody any more
      std::copy_n(shown(parts() - 1), sums.size(), sums.data());
    }
    meeting_.wait();
  }

private:
  // Whether every part reads the memory of every other one: all of them find the same.
  bool direct(const Shown& shown) const {
    for (const Transfer* one : shown.transfers) {
      for (const Transfer* other : shown.transfers)
        if (one != other && !one->reads(*other)) return false;
    }
    return true;
  }

  void copy(std::span<const Transfer::Copy> copies, const Shown& shown, Transfer& transfer) const {
    if (!transfer.host() && direct(shown)) return transfer.copy_direct(copies);
    for (const Transfer::Copy& one : copies) transfer.copy(one.to, one.from, one.bytes);
  }

  // Lets the others read `data`, and reads theirs. Devices read later, in an order that they keep among themselves: what a part
  // asks of its own after the next exchange happens after all have read in this one, since they follow it there.
  //
  // A part may be late: others are then in the next exchange already, so that these are shown in turn in two places. None gets
  // further, as it meets the late one there.
  template <class Read>
  void read_others(const void* data, Transfer& transfer, Read&& read) {
    const int which = exchanges_++ % 2;
    Shown& shown = meeting_.shown_[static_cast<std::size_t>(which)];
    transfer.mark(which);
    shown.data[static_cast<std::size_t>(part_)] = data;
    shown.transfers[static_cast<std::size_t>(part_)] = &transfer;
    meeting_.wait();
    try {
      const Reader reader(meeting_);
      if (meeting_.ended_) throw MeetingEnded();  // the others no longer wait for a reader that begins now
      for (int p = 0; p < parts(); ++p) {
        if (p != part_) transfer.follow(*shown.transfers[static_cast<std::size_t>(p)], which);
      }
      read(shown);
    } catch (...) {
      // the caller frees `data`
      meeting_.end();
      meeting_.wait_for_readers();
      throw;
    }
    if (transfer.host()) meeting_.wait();  // all have read
  }

  Meeting& meeting_;
  int part_;
  unsigned exchanges_ = 0;
};

Meeting::Meeting(int parts)
    : parts_(parts),
      // some ten microseconds, in which the others mostly come; to be woken takes as long
      spins_(usable_cores() > parts ? 1000 : 0),
      shown_{Shown(parts), Shown(parts)},
      sums_(static_cast<std::size_t>(parts), nullptr) {
  for (int p = 0; p < parts; ++p) members_.push_back(std::make_unique<Member>(*this, p));
}

Meeting::~Meeting() = default;

Exchange& Meeting::exchange(int part) { return *members_[static_cast<std::size_t>(part)]; }

void Meeting::end() {
  ended_ = true;
  ++turn_;
  turn_.notify_all();
}

void Meeting::wait() {
  const unsigned turn = turn_.load();
  if (!ended_) {
    if (arrived_.fetch_add(1) + 1 == parts_) {
      arrived_ = 0;
      ++turn_;
      turn_.notify_all();
    } else {
      for (int spin = 0; spin < spins_ && turn_.load(std::memory_order_acquire) == turn; ++spin) continue;
      turn_.wait(turn);
    }
  }
  if (!ended_) return;
  wait_for_readers();
  throw MeetingEnded();
}

void Meeting::wait_for_readers() {
  for (int readers = readers_; readers > 0; readers = readers_) readers_.wait(readers);
}

}  // namespace kinema
