#include "app/options/ranks_exchange.h"

#include "kinema/error.h"

#include <mpi.h>

#include <climits>
#include <cstring>
#include <vector>

namespace kinema::app {
namespace {

int as_int(std::size_t bytes) {
  if (bytes > INT_MAX) throw Error("so many particles cannot be exchanged by MPI: give fewer", Error::Cause::input);
  return static_cast<int>(bytes);
}

class RanksExchange final : public Exchange {
public:
  explicit RanksExchange(MPI_Comm ranks) : ranks_(ranks) {
    MPI_Comm_rank(ranks, &part_);
    MPI_Comm_size(ranks, &parts_);
  }
  int part() const override { return part_; }
  int parts() const override { return parts_; }

protected:
  void do_gather(const Items& items, Transfer& transfer) override {
    const Slice mine = own(items.count);
    std::vector<char> sent(mine.size() * items.bytes_each), all(items.count * items.bytes_each);
    transfer.copy(sent.data(), items.at(mine.begin), sent.size());
    transfer.wait();
    Counts counts(parts_);
    for (int p = 0; p < parts_; ++p) {
      const Slice slice = slice_of(items.count, p, parts_);
      counts.set(p, slice.begin * items.bytes_each, slice.size() * items.bytes_each);
    }
    MPI_Allgatherv(sent.data(), as_int(sent.size()), MPI_BYTE, all.data(), counts.sizes.data(), counts.begins.data(),
                   MPI_BYTE, ranks_);
    transfer.copy(items.data, all.data(), all.size());
    transfer.wait();
  }

  void do_fetch(const Items& items, const std::vector<std::vector<int>>& wanted, Transfer& transfer) override {
    // of each other rank's wishes those that this one has; of its own wishes those of each other rank
    const Slice mine = own(items.count);
    Counts sent_counts(parts_), got_counts(parts_);
    std::vector<std::size_t> sent_items;
    for (int p = 0; p < parts_; ++p) {
      const std::size_t begin = sent_items.size();
      for (int item : wanted[static_cast<std::size_t>(p)]) {
        const auto at = static_cast<std::size_t>(item);
        if (at >= mine.begin && at < mine.end) sent_items.push_back(at);
      }
      sent_counts.set(p, begin * items.bytes_each, (sent_items.size() - begin) * items.bytes_each);
    }
    const std::vector<int>& got_items = wanted[static_cast<std::size_t>(part_)];  // ascending: by rank
    std::size_t next = 0;
    for (int p = 0; p < parts_; ++p) {
      const std::size_t begin = next, end = slice_of(items.count, p, parts_).end;
      while (next < got_items.size() && static_cast<std::size_t>(got_items[next]) < end) ++next;
      got_counts.set(p, begin * items.bytes_each, (next - begin) * items.bytes_each);
    }
    const std::size_t bytes = items.bytes_each;
    std::vector<char> sent(sent_items.size() * bytes), got(got_items.size() * bytes);
    // from and to a device in few copies: this rank's slice, and what lies between the first and the last item of a rank
    std::vector<char> staged(transfer.host() ? 0 : mine.size() * bytes);
    transfer.copy(staged.data(), items.at(mine.begin), staged.size());
    transfer.wait();
    for (std::size_t i = 0; i < sent_items.size(); ++i) {
      const char* from = transfer.host() ? items.at(sent_items[i]) : &staged[(sent_items[i] - mine.begin) * bytes];
      std::memcpy(&sent[i * bytes], from, bytes);
    }
    MPI_Alltoallv(sent.data(), sent_counts.sizes.data(), sent_counts.begins.data(), MPI_BYTE, got.data(),
                  got_counts.sizes.data(), got_counts.begins.data(), MPI_BYTE, ranks_);
    for (std::size_t begin = 0, end = 0; begin < got_items.size(); begin = end) {
      const auto first = static_cast<std::size_t>(got_items[begin]);
      const std::size_t limit = slice_of(items.count, owner_of(first, items.count, parts_), parts_).end;
      std::size_t last = first;
      for (end = begin; end < got_items.size() && static_cast<std::size_t>(got_items[end]) < limit; ++end)
        last = static_cast<std::size_t>(got_items[end]);
      staged.resize(transfer.host() ? 0 : (last + 1 - first) * bytes);
      for (std::size_t i = begin; i < end; ++i) {
        const auto item = static_cast<std::size_t>(got_items[i]);
        std::memcpy(transfer.host() ? items.at(item) : &staged[(item - first) * bytes], &got[i * bytes], bytes);
      }
      transfer.copy(items.at(first), staged.data(), staged.size());
      transfer.wait();
    }
  }

  void do_broadcast(void* data, std::size_t bytes, int from, Transfer& transfer) override {
    if (transfer.host()) {
      MPI_Bcast(data, as_int(bytes), MPI_BYTE, from, ranks_);
      return;
    }
    std::vector<char> staged(bytes);
    if (part_ == from) transfer.copy(staged.data(), data, bytes);
    transfer.wait();
    MPI_Bcast(staged.data(), as_int(bytes), MPI_BYTE, from, ranks_);
    if (part_ != from) transfer.copy(data, staged.data(), bytes);
    transfer.wait();
  }

  void do_sum_in_turn(std::span<double> sums, const std::function<void()>& add) override {
    const int count = as_int(sums.size()), last = parts_ - 1;
    if (part_ > 0) MPI_Recv(sums.data(), count, MPI_DOUBLE, part_ - 1, 0, ranks_, MPI_STATUS_IGNORE);
    add();
    if (part_ < last) MPI_Send(sums.data(), count, MPI_DOUBLE, part_ + 1, 0, ranks_);
    MPI_Bcast(sums.data(), count, MPI_DOUBLE, last, ranks_);
  }

private:
  // Bytes by rank, as MPI takes them.
  struct Counts {
    explicit Counts(int parts) : sizes(static_cast<std::size_t>(parts)), begins(static_cast<std::size_t>(parts)) {}
    void set(int part, std::size_t begin, std::size_t size) {
      begins[static_cast<std::size_t>(part)] = as_int(begin);
      sizes[static_cast<std::size_t>(part)] = as_int(size);
    }
    std::vector<int> sizes, begins;
  };

  MPI_Comm ranks_;  // freed by MPI at the end: to free it is a call of all ranks, which one that fails cannot wait for
  int part_ = 0, parts_ = 1;
};

}  // namespace

std::shared_ptr<Exchange> make_ranks_exchange(int ranks) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm some = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank < ranks ? 0 : MPI_UNDEFINED, rank, &some);
  return some == MPI_COMM_NULL ? nullptr : std::make_shared<RanksExchange>(some);
}

}  // namespace kinema::app
