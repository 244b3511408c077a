#include "app/ranks.h"

#include <algorithm>
#include <cstdlib>
#include <new>
#include <string>

#ifdef KINEMA_HAVE_MPI
#include <mpi.h>

#include <climits>
#include <vector>
#endif

namespace kinema::app {

#ifdef KINEMA_HAVE_MPI

Ranks::Ranks() {
  // set by mpirun of Open MPI, of MPICH and its derivatives, and by Slurm's PMIx in the environment of their processes
  const char* marks[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK"};
  if (std::none_of(std::begin(marks), std::end(marks), [](const char* mark) { return std::getenv(mark); })) return;
  MPI_Init(nullptr, nullptr);
  started_ = true;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &count_);
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
    const Slice part = slice(total, rank);
    sizes.push_back(static_cast<int>(part.size()));
    begins.push_back(static_cast<int>(part.begin));
  }
  MPI_Gatherv(mine.data(), static_cast<int>(mine.size()), MPI_DOUBLE, all.data(), sizes.data(), begins.data(),
              MPI_DOUBLE, 0, MPI_COMM_WORLD);
}

void Ranks::abort(int exit_code) const {
  if (count_ > 1) MPI_Abort(MPI_COMM_WORLD, exit_code);
  std::exit(exit_code);
}

#else

Ranks::Ranks() = default;
Ranks::~Ranks() = default;

void Ranks::together(const std::function<void()>& work) const { work(); }

void Ranks::gather(std::span<const double> mine, std::span<double> all) const {
  std::copy(mine.begin(), mine.end(), all.begin());
}

void Ranks::abort(int exit_code) const { std::exit(exit_code); }

#endif

}  // namespace kinema::app
