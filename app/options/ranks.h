// The ranks of an MPI run that share one command. Without MPI or mpirun there is one rank and no overhead.
#pragma once

#include "core/slice.h"
#include "kinema/body.h"
#include "kinema/error.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace kinema::app {

/// An error known to every rank: all of them throw it, and the first one prints it.
class AgreedError : public Error {
public:
  using Error::Error;
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

  /// mpirun started several processes, but this build has no MPI: each would do all the work.
  bool not_built_in() const { return not_built_in_; }

  /// Among the ranks on this machine.
  int local_rank() const { return local_rank_; }
  int local_count() const { return local_count_; }

  /// The cores that this rank may use; those that it shares with others on the machine are divided among them.
  int cores() const { return cores_; }

  /// This rank's share of `total` items: contiguous, in the order of ranks, with sizes that differ by at most one.
  Slice slice(std::size_t total) const { return slice_of(total, rank_, count_); }

  /// Runs a part of the work on every rank, and returns when all have finished. If it throws on any rank, an
  /// AgreedError with the message of the lowest such rank is thrown on all.
  void together(const std::function<void()>& work) const;

  /// On the first rank `all` becomes the concatenated slices of all ranks.
  void gather(std::span<const double> mine, std::span<double> all) const;

  /// On the first rank the texts of all ranks, in their order; elsewhere nothing.
  std::vector<std::string> gather(const std::string& mine) const;

  /// All get what the first rank has.
  void broadcast(void* data, std::size_t bytes) const;

  /// The largest of all ranks.
  double most(double mine) const;

  /// Runs `work` on the first rank, while the others of the first `ranks`, all by default, weigh for the likelihoods that it
  /// shares; where there are none, it gets null. All ranks make the call. What `work` throws is thrown as by together().
  void share(const Compute& compute, const std::function<void(const body::ShareLikelihood&)>& work,
             int ranks = 0) const;

  /// Ends every rank at once, for an error that the others cannot know about.
  [[noreturn]] void abort(int exit_code) const;

private:
  bool started_ = false;
  int rank_ = 0, count_ = 1, local_rank_ = 0, local_count_ = 1;
  int cores_ = 1;
  bool not_built_in_ = false;
};

/// What Ranks::share() does where there are other ranks (ranks_likelihood.cpp).
void share_among_ranks(int ranks, const Compute& compute,
                       const std::function<void(const body::ShareLikelihood&)>& work);

}  // namespace kinema::app
