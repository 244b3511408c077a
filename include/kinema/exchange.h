// How the parts of one computation, on several GPUs or several machines, tell each other their results.
//
// A filter's particles are divided among the parts by their number. Each part runs the same program on all weights, so
// that every part knows the same mean, and on its own share of the states, which cost the time. An exchange is between
// the threads of a process (src/core/meeting.h), between ranks of MPI (app/ranks_exchange.cpp), or a caller's own.
#pragma once

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
  virtual ~Transfer() = default;
  virtual void copy(void* to, const void* from, std::size_t bytes) = 0;
  /// Until all copies, and whatever made their data, are done.
  virtual void wait() = 0;
  /// Whether data are in host memory.
  virtual bool host() const = 0;

  /// Moments of an exchange between parts of one process: this part's data are written, and those of the others read.
  enum class Mark { written, read };
  /// Marks the moment at which all that was asked so far is done. A device need not wait for it, as the default does.
  virtual void mark(Mark) { wait(); }
  /// What is asked from here on happens after the moment that `other`, a transfer of the same kind, has marked last.
  virtual void follow(const Transfer& other, Mark mark) {
    static_cast<void>(other);
    static_cast<void>(mark);
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

  /// All get what the part `from` has.
  void broadcast(void* data, std::size_t bytes, int from, Transfer& transfer = host_transfer());

  /// Sums in the order of the items, whatever the number of parts: one part after another calls `add`, which adds its
  /// own to `sums`; all then get the result.
  void sum_in_turn(std::span<double> sums, const std::function<void()>& add);

  /// Received so far, by all parts together.
  std::uint64_t bytes() const { return bytes_; }

protected:
  virtual void do_gather(const Items& items, Transfer& transfer) = 0;
  /// wanted[p]: the items of other parts that part p gets, ascending.
  virtual void do_fetch(const Items& items, const std::vector<std::vector<int>>& wanted, Transfer& transfer) = 0;
  virtual void do_broadcast(void* data, std::size_t bytes, int from, Transfer& transfer) = 0;
  virtual void do_sum_in_turn(std::span<double> sums, const std::function<void()>& add) = 0;

private:
  std::uint64_t bytes_ = 0;
};

}  // namespace kinema
