#include "core/meeting.h"

#include "core/threads.h"

#include <algorithm>

namespace kinema {

class Meeting::Member final : public Exchange {
public:
  Member(Meeting& meeting, int part) : meeting_(meeting), part_(part) {}

  int part() const override { return part_; }
  int parts() const override { return meeting_.parts_; }

protected:
  void do_gather(const Items& items, Transfer& transfer) override {
    read_others(items.data, transfer, [&] {
      for (int p = 0; p < parts(); ++p) {
        const Slice slice = slice_of(items.count, p, parts());
        if (p == part_ || slice.size() == 0) continue;
        transfer.copy(items.at(slice.begin), other(items, p, slice.begin), slice.size() * items.bytes_each);
      }
    });
  }

  void do_fetch(const Items& items, const std::vector<std::vector<int>>& wanted, Transfer& transfer) override {
    const std::vector<int>& mine = wanted[static_cast<std::size_t>(part_)];
    read_others(items.data, transfer, [&] {
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
        transfer.copy(items.at(first), other(items, owner, first), count * items.bytes_each);
      }
    });
  }

  void do_broadcast(void* data, std::size_t bytes, int from, Transfer& transfer) override {
    read_others(data, transfer, [&] {
      if (part_ != from) transfer.copy(data, meeting_.shown_[static_cast<std::size_t>(from)], bytes);
    });
  }

  void do_sum_in_turn(std::span<double> sums, const std::function<void()>& add) override {
    const auto shown = [&](int part) {
      return static_cast<const double*>(meeting_.shown_[static_cast<std::size_t>(part)]);
    };
    meeting_.shown_[static_cast<std::size_t>(part_)] = sums.data();
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
  const char* other(const Items& items, int part, std::size_t item) const {
    return static_cast<const char*>(meeting_.shown_[static_cast<std::size_t>(part)]) + item * items.bytes_each;
  }

  // Lets the others read `data`, and reads theirs. Nothing that this part does later happens before all have read. On
  // devices all of that is put in order without the host waiting for them.
  template <class Read>
  void read_others(const void* data, Transfer& transfer, Read&& read) {
    transfer.mark(Transfer::Mark::written);
    meeting_.shown_[static_cast<std::size_t>(part_)] = data;
    meeting_.transfers_[static_cast<std::size_t>(part_)] = &transfer;
    meeting_.wait();
    // a copy: once all have read, another part may already be in the next exchange, with a transfer of another kind
    const std::vector<const Transfer*> transfers = meeting_.transfers_;
    follow_others(transfer, transfers, Transfer::Mark::written);
    read();
    transfer.mark(Transfer::Mark::read);
    meeting_.wait();
    follow_others(transfer, transfers, Transfer::Mark::read);
  }

  // A mark is not made again before all parts have come here: each meets the others twice between two of a kind.
  void follow_others(Transfer& transfer, const std::vector<const Transfer*>& transfers, Transfer::Mark mark) const {
    for (int p = 0; p < parts(); ++p) {
      if (p != part_) transfer.follow(*transfers[static_cast<std::size_t>(p)], mark);
    }
  }

  Meeting& meeting_;
  int part_;
};

Meeting::Meeting(int parts)
    : parts_(parts),
      // some ten microseconds, in which the others mostly come; to be woken takes as long
      spins_(usable_cores() > parts ? 1000 : 0),
      shown_(static_cast<std::size_t>(parts), nullptr),
      transfers_(static_cast<std::size_t>(parts), nullptr) {
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
  if (ended_) throw MeetingEnded();
  if (arrived_.fetch_add(1) + 1 == parts_) {
    arrived_ = 0;
    ++turn_;
    turn_.notify_all();
  } else {
    for (int spin = 0; spin < spins_ && turn_.load(std::memory_order_acquire) == turn; ++spin) continue;
    turn_.wait(turn);
  }
  if (ended_) throw MeetingEnded();
}

}  // namespace kinema
