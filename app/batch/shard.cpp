#include "app/batch/shard.h"

#include "io/files/text.h"

#include <fmt/format.h>

#include <cstdlib>
#include <optional>
#include <string_view>
#include <utility>

namespace kinema::app {
namespace {

std::optional<std::size_t> variable(const char* name) {
  const char* text = std::getenv(name);
  return text != nullptr ? io::exact_number_in<std::size_t>(text) : std::nullopt;
}

}  // namespace

std::string Shard::words() const { return fmt::format("{}/{}", index + 1, count); }

Shard parse_shard(const std::string& text) {
  const std::size_t slash = text.find('/');
  const auto index = io::exact_number_in<std::size_t>(std::string_view(text).substr(0, slash));
  const auto count = slash == std::string::npos
                         ? std::nullopt
                         : io::exact_number_in<std::size_t>(std::string_view(text).substr(slash + 1));
  if (!index || !count || *index < 1 || *index > *count) {
    throw Error(fmt::format("--shard is '{}': give i/n with i from 1 to n, such as 3/12", text));
  }
  return {*index - 1, *count};
}

Shard shard_of_array() {
  const auto id = variable("SLURM_ARRAY_TASK_ID"), count = variable("SLURM_ARRAY_TASK_COUNT");
  if (!id || !count) return {};
  const std::size_t first = variable("SLURM_ARRAY_TASK_MIN").value_or(0);
  const std::size_t step = variable("SLURM_ARRAY_TASK_STEP").value_or(1);
  if (step < 1 || *id < first || (*id - first) % step != 0 || (*id - first) / step >= *count) {
    throw Error(
        fmt::format("task {} of an array of {} tasks from {}: the array has gaps; give --shard", *id, *count, first));
  }
  return {(*id - first) / step, *count};
}

Shard shard_of_ranks(const Ranks& ranks) {
  if (ranks.count() > 1) return {static_cast<std::size_t>(ranks.rank()), static_cast<std::size_t>(ranks.count())};
  for (const auto& [rank_name, size_name] :
       {std::pair{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"}, {"PMI_RANK", "PMI_SIZE"}}) {
    const auto rank = variable(rank_name), size = variable(size_name);
    if (rank && size && *rank < *size) return {*rank, *size};
  }
  return {};
}

Shard within(Shard outer, Shard inner) { return {outer.index * inner.count + inner.index, outer.count * inner.count}; }

}  // namespace kinema::app
