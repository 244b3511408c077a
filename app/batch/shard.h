// The part of a batch that one process works on. Processes with the same jobs and different shards share no job.
#pragma once

#include "app/options/ranks.h"

#include <cstddef>
#include <string>

namespace kinema::app {

struct Shard {
  std::size_t index = 0;  ///< from 0
  std::size_t count = 1;

  /// "3/12", counted from 1 as in --shard.
  std::string words() const;
};

/// The inverse of words(). Throws Error if the text is something else.
Shard parse_shard(const std::string& text);

/// The shard of this task in an array of Slurm; the only one outside of Slurm. Throws Error if the array has gaps.
Shard shard_of_array();

/// The shard of this process among those that mpirun started: the ranks, or what Open MPI and MPICH say in the
/// environment if MPI is not built in.
Shard shard_of_ranks(const Ranks& ranks);

/// The inner shard of an outer one.
Shard within(Shard outer, Shard inner);

}  // namespace kinema::app
