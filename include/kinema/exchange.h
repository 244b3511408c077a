// How the parts of one computation, on several GPUs or several machines, tell each other their results.
//
// A filter's particles are divided among the parts by their number. Each part runs the same program on all weights, so
// that every part knows the same mean, and on its own share of the states, which cost the time. An exchange is between
// the threads of a process (src/core/meeting.h), between ranks of MPI (app/options/ranks_exchange.cpp), or a caller's own.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace kinema {

/// A range of items.
struct Slice {
  std::size_t begin = 0, end = 0;
  std::size_t size() const { return end - begin; }
};

/// The share of `total` items that a part has: contiguous, in the order of the parts, with sizes that differ by at most
/// one.
Slice slice_of(std::size_t total, int part, int parts);

/// The part whose slice holds an item.
int owner_of(std::size_t item, std::size_t total, int parts);

/// Copies that a part makes. Its memory may be a device's, as may that of other parts of the same process.
class Transfer {
public:
  struct Copy {
    void* to;
    const void* from;
    std::size_t bytes;
  };

  virtual ~Transfer() = default;
  virtual void copy(void* to, const void* from, std::size_t bytes) = 0;
  /// Waits until all copies, and the work that produces their data, are done.
  virtual void wait() = 0;
  /// Whether data are in host memory.
  virtual bool host() const = 0;

  /// Whether this part's device can read the memory of the part of `other` itself, for copy_direct() and Exchange::share().
  virtual bool reads(const Transfer& other) const {
    static_cast<void>(other);
    return false;
  }
  /// Several copies of such memory at once.
  virtual void copy_direct(std::span<const Copy> copies) {
    for (const Copy& one : copies) copy(one.to, one.from, one.bytes);
  }

  /// Marks the point at which all work requested so far is done. The default waits for it; a device need not. There are
  /// two marks, 0 and 1, which are used alternately.
  virtual void mark(int which) {
    static_cast<void>(which);
    wait();
  }
  /// Work requested from here on runs after the mark `which` that `other`, a transfer of the same kind, made last.
  virtual void follow(const Transfer& other, int which) {
    static_cast<void>(other);
    static_cast<void>(which);
  }
};

/// Plain memory.
Transfer& host_transfer();

/// An array that every part has, as large as the whole, of which it computes its slice.
struct Items {
  void* data = nullptr;
  std::size_t count = 0, bytes_each = 0;

  char* at(std::size_t item) const { return static_cast<char*>(data) + item * bytes_each; }
};

/// Every part makes the same calls in the same order with the same sizes.
///
/// Data in host memory may be changed once a call returns. A device may still be reading data of another one: they must not
/// change before the next exchange of devices, or settle().
class Exchange {
public:
  virtual ~Exchange() = default;

  virtual int part() const = 0;
  virtual int parts() const = 0;
  Slice own(std::size_t total) const { return slice_of(total, part(), parts()); }

  /// Each part has computed its slice; all get all of it.
  void gather(const Items& items, Transfer& transfer = host_transfer());

  /// Each part gets the items order[j] for the j of its slice, at their own places. `order` is the same for all.
  void fetch(const Items& items, std::span<const int> order, Transfer& transfer = host_transfer());

  /// Where each part can read the memory of all others itself: their arrays, by part. Empty where not: fetch() then.
  std::vector<const void*> share(const void* data, Transfer& transfer);

  /// Counts what parts read by share(): order[j] for the j of its slice, by each part.
  void count_fetched(std::span<const int> order, std::size_t bytes_each);

  /// Work that this part gives its device from here on runs after the others have read what it shared with them.
  void settle(Transfer& transfer);

  /// All get what the part `from` has.
  void broadcast(void* data, std::size_t bytes, int from, Transfer& transfer = host_transfer());

  /// Sums in the order of the items, whatever the number of parts: one part after another calls `add`, which adds its
  /// own to `sums`; all then get the result.
  void sum_in_turn(std::span<double> sums, const std::function<void()>& add);

  /// Bytes received so far, by all parts together. May be called from any thread.
  std::uint64_t bytes() const { return bytes_.load(std::memory_order_relaxed); }

protected:
  virtual void do_gather(const Items& items, Transfer& transfer) = 0;
  /// wanted[p]: the items of other parts that part p gets, ascending.
  virtual void do_fetch(const Items& items, const std::vector<std::vector<int>>& wanted, Transfer& transfer) = 0;
  virtual std::vector<const void*> do_share(const void* data, Transfer& transfer) {
    static_cast<void>(data);
    static_cast<void>(transfer);
    return {};
  }
  virtual void do_settle(Transfer& transfer) { static_cast<void>(transfer); }
  virtual void do_broadcast(void* data, std::size_t bytes, int from, Transfer& transfer) = 0;
  virtual void do_sum_in_turn(std::span<double> sums, const std::function<void()>& add) = 0;

private:
  std::atomic<std::uint64_t> bytes_ = 0;
};

}  // namespace kinema
