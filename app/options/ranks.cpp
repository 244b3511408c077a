#include "app/options/ranks.h"

#include "core/threads.h"

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <new>
#include <string>

#ifdef KINEMA_HAVE_MPI
#include <mpi.h>

#include <sched.h>

#include <climits>
#include <vector>
#endif

namespace kinema::app {

#ifdef KINEMA_HAVE_MPI

namespace {

// The share of a rank in the cores of its machine: one that n ranks may use counts 1 / n for each of them.
int core_share(MPI_Comm machine, int ranks) {
  cpu_set_t own;
  CPU_ZERO(&own);
  if (sched_getaffinity(0, sizeof own, &own) != 0) return std::max(1, usable_cores() / ranks);
  std::vector<cpu_set_t> all(static_cast<std::size_t>(ranks));
  MPI_Allgather(&own, sizeof own, MPI_BYTE, all.data(), sizeof own, MPI_BYTE, machine);
  double share = 0;
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (!CPU_ISSET(core, &own)) continue;
    share += 1.0 / static_cast<double>(std::count_if(all.begin(), all.end(),
                                                     [&](const cpu_set_t& set) { return CPU_ISSET(core, &set); }));
  }
  return std::max(1, static_cast<int>(share + 1e-9));
}

}  // namespace

Ranks::Ranks() {
  cores_ = usable_cores();
  // set by mpirun of Open MPI, of MPICH and its derivatives, and by Slurm's PMIx in the environment of their processes
  const char* marks[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK"};
  if (std::none_of(std::begin(marks), std::end(marks), [](const char* mark) { return std::getenv(mark); })) return;
  MPI_Init(nullptr, nullptr);
  started_ = true;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &count_);
  MPI_Comm machine = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &machine);
  MPI_Comm_rank(machine, &local_rank_);
  MPI_Comm_size(machine, &local_count_);
  cores_ = core_share(machine, local_count_);
  MPI_Comm_free(&machine);
}

Ranks::~Ranks() {
  if (started_) MPI_Finalize();
}

void Ranks::together(const std::function<void()>& work) const {
  if (count_ == 1) return work();
  std::string message;
  int cause = -1;
  try {
    work();
  } catch (const AgreedError&) {
    throw;  // the others know
  } catch (const Error& error) {
    message = error.what();
    cause = static_cast<int>(error.cause());
  } catch (const std::bad_alloc&) {
    message = "there is not enough memory";
    cause = static_cast<int>(Error::Cause::running);
  } catch (const std::exception& error) {
    message = error.what();
    cause = static_cast<int>(Error::Cause::running);
  }

  const int mine = cause < 0 ? count_ : rank_;
  int failed = count_;
  MPI_Allreduce(&mine, &failed, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (failed == count_) return;
  int length = static_cast<int>(message.size());
  MPI_Bcast(&cause, 1, MPI_INT, failed, MPI_COMM_WORLD);
  MPI_Bcast(&length, 1, MPI_INT, failed, MPI_COMM_WORLD);
  message.resize(static_cast<std::size_t>(length));
  MPI_Bcast(message.data(), length, MPI_CHAR, failed, MPI_COMM_WORLD);
  throw AgreedError(message, static_cast<Error::Cause>(cause));
}

void Ranks::gather(std::span<const double> mine, std::span<double> all) const {
  if (count_ == 1) {
    std::copy(mine.begin(), mine.end(), all.begin());
    return;
  }
  unsigned long long size = mine.size(), total = 0;
  MPI_Allreduce(&size, &total, 1, MPI_UNSIGNED_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
  if (total > INT_MAX) {
    throw AgreedError("so many samples cannot be gathered by MPI: divide them among several runs");
  }
  std::vector<int> sizes, begins;
  for (int rank = 0; rank < count_; ++rank) {
    const Slice part = slice_of(total, rank, count_);
    sizes.push_back(static_cast<int>(part.size()));
    begins.push_back(static_cast<int>(part.begin));
  }
  MPI_Gatherv(mine.data(), static_cast<int>(mine.size()), MPI_DOUBLE, all.data(), sizes.data(), begins.data(),
              MPI_DOUBLE, 0, MPI_COMM_WORLD);
}

std::vector<std::string> Ranks::gather(const std::string& mine) const {
  if (count_ == 1) return {mine};
  const auto ranks = static_cast<std::size_t>(count_);
  const int size = static_cast<int>(mine.size());
  std::vector<int> sizes(ranks), begins(ranks, 0);
  MPI_Gather(&size, 1, MPI_INT, sizes.data(), 1, MPI_INT, 0, MPI_COMM_WORLD);
  for (std::size_t r = 1; r < ranks; ++r) begins[r] = begins[r - 1] + sizes[r - 1];
  std::string all(first() ? static_cast<std::size_t>(begins.back() + sizes.back()) : 0, '\0');
  MPI_Gatherv(mine.data(), size, MPI_CHAR, all.data(), sizes.data(), begins.data(), MPI_CHAR, 0, MPI_COMM_WORLD);
  std::vector<std::string> texts;
  for (std::size_t r = 0; first() && r < ranks; ++r) {
    texts.push_back(all.substr(static_cast<std::size_t>(begins[r]), static_cast<std::size_t>(sizes[r])));
  }
  return texts;
}

void Ranks::broadcast(void* data, std::size_t bytes) const {
  if (count_ > 1) MPI_Bcast(data, static_cast<int>(bytes), MPI_BYTE, 0, MPI_COMM_WORLD);
}

double Ranks::most(double mine) const {
  if (count_ > 1) MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return mine;
}

void Ranks::share(const Compute& compute, const std::function<void(const body::ShareLikelihood&)>& work,
                  int ranks) const {
  if (count_ == 1) return work(nullptr);
  std::exception_ptr failure;
  try {
    share_among_ranks(ranks > 0 ? std::min(ranks, count_) : count_, compute, work);
  } catch (...) {
    if (!first()) throw;  // the first rank waits for this one: no agreement is possible
    failure = std::current_exception();
  }
  together([&] {
    if (failure) std::rethrow_exception(failure);
  });
}

void Ranks::abort(int exit_code) const {
  if (count_ > 1) MPI_Abort(MPI_COMM_WORLD, exit_code);
  std::exit(exit_code);
}

#else

Ranks::Ranks() {
  cores_ = usable_cores();
  // mpirun would start the same run several times, all of which write the same files
  const char* size = std::getenv("OMPI_COMM_WORLD_SIZE");
  if (size == nullptr) size = std::getenv("PMI_SIZE");
  if (size != nullptr && std::atoi(size) > 1) not_built_in_ = true;
}
Ranks::~Ranks() = default;

void Ranks::together(const std::function<void()>& work) const { work(); }

void Ranks::gather(std::span<const double> mine, std::span<double> all) const {
  std::copy(mine.begin(), mine.end(), all.begin());
}

std::vector<std::string> Ranks::gather(const std::string& mine) const { return {mine}; }
void Ranks::broadcast(void*, std::size_t) const {}
double Ranks::most(double mine) const { return mine; }
void Ranks::share(const Compute&, const std::function<void(const body::ShareLikelihood&)>& work, int) const {
  work(nullptr);
}

void Ranks::abort(int exit_code) const { std::exit(exit_code); }

#endif

}  // namespace kinema::app
