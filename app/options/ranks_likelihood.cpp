#include "app/options/ranks.h"

#include "core/slice.h"
#include "kinema/error.h"

#include <mpi.h>

#include <algorithm>
#include <climits>
#include <exception>
#include <map>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace kinema::app {
namespace {

// What the first rank asks of the others. Data follow, if there are any.
struct Request {
  enum What { make, free, set_points, evaluate, end } what = end;
  int likelihood = 0;                      // which one
  body::LikelihoodSettings settings = {};  // of make
  std::size_t points = 0, marks = 0, deviations = 0;
  std::size_t rows = 0, columns = 0;  // of capsules
};
static_assert(std::is_trivially_copyable_v<Request>);

// Behind the log-likelihoods that a rank sends there is room for what went wrong, in as many numbers; empty: nothing.
constexpr std::size_t text_numbers = 32;

int as_int(std::size_t bytes) {
  if (bytes > INT_MAX) throw Error("so many particles cannot be divided by MPI: give fewer", Error::Cause::input);
  return static_cast<int>(bytes);
}

class Communicator {
public:
  explicit Communicator(MPI_Comm ranks) : comm_(ranks) {
    MPI_Comm_rank(ranks, &rank_);
    MPI_Comm_size(ranks, &ranks_);
  }

  int rank() const { return rank_; }
  int ranks() const { return ranks_; }
  Slice own(std::size_t rows) const { return slice_of(rows, rank_, ranks_); }

  template <class T>
  void broadcast(T* data, std::size_t count) const {
    if (count == 0) return;
    // MPI takes no constants here, but changes none on the rank that sends
    MPI_Bcast(const_cast<std::remove_const_t<T>*>(data), as_int(count * sizeof(T)), MPI_BYTE, 0, comm_);
  }

  // Each rank's rows of `all`, which the first rank has.
  void scatter(const float* all, std::size_t rows, std::size_t floats_each, float* own_rows) const {
    const Counts counts(rows, floats_each * sizeof(float), 0, ranks_);
    void* to = rank_ == 0 ? MPI_IN_PLACE : own_rows;
    MPI_Scatterv(all, counts.sizes.data(), counts.begins.data(), MPI_BYTE, to, counts.size(rank_), MPI_BYTE, 0, comm_);
  }

  // A number for each row and, behind those of each rank, its text.
  void gather(const double* own_numbers, std::size_t rows, double* all) const {
    const Counts counts(rows, sizeof(double), text_numbers * sizeof(double), ranks_);
    MPI_Gatherv(own_numbers, counts.size(rank_), MPI_BYTE, all, counts.sizes.data(), counts.begins.data(), MPI_BYTE, 0,
                comm_);
  }

private:
  // Bytes by rank, as MPI takes them.
  struct Counts {
    Counts(std::size_t rows, std::size_t bytes_each, std::size_t more, int ranks) {
      for (int r = 0; r < ranks; ++r) {
        const Slice slice = slice_of(rows, r, ranks);
        begins.push_back(as_int(slice.begin * bytes_each + static_cast<std::size_t>(r) * more));
        sizes.push_back(as_int(slice.size() * bytes_each + more));
      }
    }
    int size(int rank) const { return sizes[static_cast<std::size_t>(rank)]; }
    std::vector<int> sizes, begins;
  };

  MPI_Comm comm_;  // freed by MPI at the end: to free it is a call of all ranks, which one that fails cannot wait for
  int rank_ = 0, ranks_ = 1;
};

// On the first rank.
class RanksLikelihood final : public body::Likelihood {
public:
  RanksLikelihood(const Communicator& ranks, int number, const body::LikelihoodSettings& settings,
                  std::unique_ptr<body::Likelihood> own)
      : ranks_(ranks), number_(number), own_(std::move(own)) {
    Request request{Request::make, number_};
    request.settings = settings;
    ranks_.broadcast(&request, 1);
  }
  ~RanksLikelihood() override {
    Request request{Request::free, number_};
    ranks_.broadcast(&request, 1);
  }
  RanksLikelihood(const RanksLikelihood&) = delete;
  RanksLikelihood& operator=(const RanksLikelihood&) = delete;

  body::PointCount set_points(PointsView points) override {
    Request request{Request::set_points, number_};
    request.points = points.size;
    request.marks = points.background.size();
    request.deviations = points.deviation.size();
    ranks_.broadcast(&request, 1);
    ranks_.broadcast(points.xyz, 3 * points.size);
    ranks_.broadcast(points.background.data(), request.marks);
    ranks_.broadcast(points.deviation.data(), request.deviations);
    exchanged_ += static_cast<std::size_t>(ranks_.ranks() - 1) *
                  ((3 * points.size + request.deviations) * sizeof(float) + request.marks);
    return own_->set_points(points);
  }

  void evaluate(body::CapsulesView capsules, std::span<double> out) override {
    const std::size_t floats = capsules.columns * capsules.depth;
    as_int(capsules.rows * floats * sizeof(float));  // before anybody waits for them
    Request request{Request::evaluate, number_};
    request.rows = capsules.rows;
    request.columns = capsules.columns;
    ranks_.broadcast(&request, 1);
    ranks_.scatter(capsules.data, capsules.rows, floats, nullptr);

    const Slice own = ranks_.own(capsules.rows);
    results_.assign(own.size() + text_numbers, 0);
    std::exception_ptr failure;  // thrown when the others have answered
    try {
      own_->evaluate({capsules.data, own.size(), capsules.columns, capsules.depth}, {results_.data(), own.size()});
    } catch (...) {
      failure = std::current_exception();
    }
    const auto count = static_cast<std::size_t>(ranks_.ranks());
    all_.resize(capsules.rows + count * text_numbers);
    ranks_.gather(results_.data(), capsules.rows, all_.data());
    exchanged_ += (capsules.rows - own.size()) * (floats * sizeof(float) + sizeof(double));
    std::string message;
    for (int r = 0; r < ranks_.ranks(); ++r) {
      const Slice slice = slice_of(capsules.rows, r, ranks_.ranks());
      const double* numbers = all_.data() + slice.begin + static_cast<std::size_t>(r) * text_numbers;
      std::copy_n(numbers, slice.size(), out.data() + slice.begin);
      if (message.empty()) message = reinterpret_cast<const char*>(numbers + slice.size());
    }
    if (failure) std::rethrow_exception(failure);
    if (!message.empty()) throw Error(message, Error::Cause::running);
  }

  std::vector<StageTime> times() const override { return own_->times(); }
  std::uint64_t exchanged_bytes() const override { return exchanged_; }

private:
  const Communicator& ranks_;
  int number_;
  std::unique_ptr<body::Likelihood> own_;
  std::vector<double> results_, all_;
  std::uint64_t exchanged_ = 0;
};

// On one of the other ranks.
class Helper {
public:
  Helper(const Communicator& ranks, const Compute& compute) : ranks_(ranks), compute_(compute) {}

  void run() {
    for (Request request;;) {
      ranks_.broadcast(&request, 1);
      if (request.what == Request::end) return;
      if (request.what == Request::make)
        attempt([&] { likelihoods_[request.likelihood] = body::make_likelihood(request.settings, compute_); });
      if (request.what == Request::free) likelihoods_.erase(request.likelihood);
      if (request.what == Request::set_points) set_points(request);
      if (request.what == Request::evaluate) evaluate(request);
    }
  }

private:
  void set_points(const Request& request) {
    xyz_.resize(3 * request.points);
    marks_.resize(request.marks);
    deviations_.resize(request.deviations);
    ranks_.broadcast(xyz_.data(), xyz_.size());
    ranks_.broadcast(marks_.data(), marks_.size());
    ranks_.broadcast(deviations_.data(), deviations_.size());
    attempt([&] { likelihoods_[request.likelihood]->set_points({xyz_.data(), request.points, marks_, deviations_}); });
  }

  void evaluate(const Request& request) {
    const std::size_t own = ranks_.own(request.rows).size(), floats = request.columns * body::capsule_floats;
    capsules_.resize(own * floats);
    results_.assign(own + text_numbers, 0);
    ranks_.scatter(nullptr, request.rows, floats, capsules_.data());
    attempt([&] {
      likelihoods_[request.likelihood]->evaluate({capsules_.data(), own, request.columns, body::capsule_floats},
                                                 {results_.data(), own});
    });
    failure_.copy(reinterpret_cast<char*>(results_.data() + own), text_numbers * sizeof(double) - 1);
    ranks_.gather(results_.data(), request.rows, nullptr);
  }

  // What goes wrong here ends the work on the first rank, which is told with the next results.
  template <class Attempt>
  void attempt(const Attempt& attempt) {
    if (!failure_.empty()) return;
    try {
      attempt();
    } catch (const std::bad_alloc&) {
      failure_ = "there is not enough memory";
    } catch (const std::exception& error) {
      failure_ = error.what();
    }
  }

  const Communicator& ranks_;
  Compute compute_;
  std::map<int, std::unique_ptr<body::Likelihood>> likelihoods_;
  std::vector<float> xyz_, deviations_, capsules_;
  std::vector<std::uint8_t> marks_;
  std::vector<double> results_;
  std::string failure_;
};

}  // namespace

void share_among_ranks(int ranks, const Compute& compute,
                       const std::function<void(const body::ShareLikelihood&)>& work) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm some = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank < ranks ? 0 : MPI_UNDEFINED, rank, &some);
  if (some == MPI_COMM_NULL) return;
  const Communicator communicator(some);
  if (rank > 0) return Helper(communicator, compute).run();
  if (ranks == 1) return work(nullptr);
  int made = 0;
  const body::ShareLikelihood share = [&](const body::LikelihoodSettings& settings,
                                          std::unique_ptr<body::Likelihood> own) {
    return std::make_unique<RanksLikelihood>(communicator, made++, settings, std::move(own));
  };
  std::exception_ptr failure;
  try {
    work(share);
  } catch (...) {
    failure = std::current_exception();
  }
  Request request{Request::end};
  communicator.broadcast(&request, 1);
  if (failure) std::rethrow_exception(failure);
}

}  // namespace kinema::app
