// The ranks of an MPI run that share one command. Without MPI or mpirun there is one rank and no overhead.
#pragma once

#include "kinema/error.h"

#include <cstddef>
#include <functional>
#include <span>

namespace kinema::app {

/// An error known to every rank: all of them throw it, and the first one prints it.
class AgreedError : public Error {
public:
  using Error::Error;
};

struct Slice {
  std::size_t begin = 0, end = 0;
  std::size_t size() const { return end - begin; }
};

class Ranks {
public:
  /// Starts MPI if mpirun started this process.
  Ranks();
  ~Ranks();
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;

  int rank() const { return rank_; }
  int count() const { return count_; }
  bool first() const { return rank_ == 0; }

  /// This rank's share of `total` items: contiguous, in the order of ranks, with sizes that differ by at most one.
  Slice slice(std::size_t total) const { return slice(total, rank_); }

  /// Runs a part of the work on every rank, and returns when all have finished. If it throws on any rank, an
  /// AgreedError with the message of the lowest such rank is thrown on all.
  void together(const std::function<void()>& work) const;

  /// On the first rank `all` becomes the concatenated slices of all ranks.
  void gather(std::span<const double> mine, std::span<double> all) const;

  /// Ends every rank at once, for an error that the others cannot know about.
  [[noreturn]] void abort(int exit_code) const;

private:
  Slice slice(std::size_t total, int rank) const {
    const auto ranks = static_cast<std::size_t>(count_), r = static_cast<std::size_t>(rank);
    const std::size_t each = total / ranks, more = total % ranks;
    const std::size_t begin = r * each + (r < more ? r : more);
    return {begin, begin + each + (r < more ? 1 : 0)};
  }

  bool started_ = false;
  int rank_ = 0, count_ = 1;
};

}  // namespace kinema::app
