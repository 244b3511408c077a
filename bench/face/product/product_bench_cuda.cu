#include "bench/face/product/matrix_vector_cuda.h"
#include "bench/face/product/product_bench.h"
#include "bench/face/product/sgemv_cuda.h"
#include "bench/statistics.h"
#include "core/cuda/device.h"
#include "core/cuda/launch_sequence.h"
#include "core/random.h"
#include "core/stopwatch.h"
#include "kinema/error.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace kinema::bench {
namespace {

constexpr double turn_ms = 0.5;
constexpr int most_launches = 100, fewest_turns = 5, most_turns = 200;
constexpr std::size_t copy_bytes = std::size_t{1} << 29;

__global__ void fill(float* values, std::size_t count, std::uint32_t purpose) {
  const std::size_t all = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += all) {
    const Philox words = philox(11, purpose, static_cast<std::uint32_t>(i >> 32), static_cast<std::uint32_t>(i), 0);
    values[i] = static_cast<float>(words.word[0]) * 0x1p-31f - 1;
  }
}

__global__ void do_nothing() {}

// One kind of work, launched many times in one graph, so that what a launch costs the host does not count.
class Launches {
public:
  Launches(cudaStream_t stream, const std::function<void()>& once) : stream_(stream) {
    const auto single = [&] {
      begin_.record(stream_);
      once();
      end_.record(stream_);
      cuda::check(cudaEventSynchronize(end_), "timing");
      return cuda::elapsed_ms(begin_, end_);
    };
    single();
    count_ = std::clamp(static_cast<int>(turn_ms / std::max(single(), 1e-3)), 1, most_launches);
    sequence_.record(stream_, [&] {
      for (int i = 0; i < count_; ++i) once();
    });
    turn();
    times_.clear();
  }

  void turn() {
    begin_.record(stream_);
    sequence_.launch(stream_);
    end_.record(stream_);
    cuda::check(cudaEventSynchronize(end_), "timing");
    times_.push_back(cuda::elapsed_ms(begin_, end_) / count_);
  }

  double us() const { return 1e3 * quantile(times_, 0.5); }

private:
  cudaStream_t stream_;
  cuda::LaunchSequence sequence_;
  cuda::Event begin_, end_;
  std::vector<double> times_;
  int count_ = 1;
};

// In turns, so that a clock that drifts does so for all of them.
void take_turns(std::vector<Launches*> contestants, double seconds) {
  const Stopwatch watch;
  for (int turn = 0; turn < fewest_turns || (turn < most_turns && watch.ms() < 1e3 * seconds); ++turn)
    for (Launches* one : contestants) one->turn();
}

double farthest(const cuda::Buffer<float>& a, const cuda::Buffer<float>& b, std::size_t count) {
  std::vector<float> ours(count), theirs(count);
  cuda::check(cudaMemcpy(ours.data(), a.data(), count * sizeof(float), cudaMemcpyDeviceToHost), "downloading");
  cuda::check(cudaMemcpy(theirs.data(), b.data(), count * sizeof(float), cudaMemcpyDeviceToHost), "downloading");
  double most = 0, largest = 0;
  for (std::size_t i = 0; i < count; ++i) {
    most = std::max(most, std::abs(double{ours[i]} - theirs[i]));
    largest = std::max(largest, std::abs(double{theirs[i]}));
  }
  return largest > 0 ? most / largest : most;
}

class Products {
public:
  explicit Products(double seconds) : seconds_(seconds), sgemv_(make_sgemv()) {}

  std::string cublas() const { return sgemv_ ? sgemv_->version() : ""; }

  double copy_bytes_per_second() {
    cuda::Buffer<unsigned char> from(copy_bytes), to(copy_bytes);
    cuda::check(cudaMemset(from.data(), 1, copy_bytes), "clearing memory");
    Launches copy(stream_, [&] {
      cuda::check(cudaMemcpyAsync(to.data(), from.data(), copy_bytes, cudaMemcpyDeviceToDevice, stream_), "copying");
    });
    take_turns({&copy}, seconds_);
    return 2e6 * copy_bytes / copy.us();
  }

  double launch_us() {
    Launches empty(stream_, [&] {
      do_nothing<<<1, 32, 0, stream_>>>();
      cuda::check_launch("launching");
    });
    take_turns({&empty}, seconds_);
    return empty.us();
  }

  ProductRow measure(const ProductShape& shape, double copy_rate) {
    const auto rows = static_cast<std::size_t>(shape.rows), columns = static_cast<std::size_t>(shape.columns);
    make(matrix_, rows * columns, 1);
    make(vector_, columns, 2);
    ours_.reserve(rows), theirs_.reserve(rows);
    const cuda::MatrixVectorOperands operands{matrix_.data(), vector_.data(), ours_.data()};
    const cuda::MatrixVector product(shape.rows, shape.columns,
                                     cuda::tuned_layout(shape.rows, shape.columns, operands, LayoutFile::of_user()));
    Launches ours(stream_, [&] { product.launch(operands, stream_); });
    ProductRow row{shape, describe(product.layout()), 0, std::nullopt, std::nullopt, 0, 0, 0};
    if (sgemv_) {
      Launches theirs(stream_, [&] {
        sgemv_->launch(shape.rows, shape.columns, matrix_.data(), vector_.data(), theirs_.data(), stream_);
      });
      take_turns({&ours, &theirs}, seconds_);
      row.sgemv_us = theirs.us();
      row.ratio = theirs.us() / ours.us();
      row.difference = farthest(ours_, theirs_, rows);
    } else {
      take_turns({&ours}, seconds_);
    }
    row.us = ours.us();
    row.bytes_per_second = 1e6 * static_cast<double>((rows * columns + rows + columns) * sizeof(float)) / row.us;
    row.copy_share = row.bytes_per_second / copy_rate;
    return row;
  }

private:
  void make(cuda::Buffer<float>& buffer, std::size_t count, std::uint32_t purpose) {
    buffer.reserve(count);
    fill<<<1024, 256, 0, stream_>>>(buffer.data(), count, purpose);
    cuda::check_launch("drawing numbers");
    stream_.wait();
  }

  double seconds_;
  cuda::Stream stream_;
  std::unique_ptr<Sgemv> sgemv_;
  cuda::Buffer<float> matrix_, vector_, ours_, theirs_;
};

}  // namespace

ProductReport measure_products(const std::vector<ProductShape>& shapes, double seconds,
                               const std::function<void(const std::string&)>& progress) {
  if (cuda::devices().empty()) throw Error("products of matrices cannot be timed: " + cuda::why_no_device());
  Products products(seconds);
  ProductReport report;
  report.cublas = products.cublas();
  report.copy_bytes_per_second = products.copy_bytes_per_second();
  report.launch_us = products.launch_us();
  for (const ProductShape& shape : shapes) {
    if (progress)
      progress("bench face: a matrix of " + std::to_string(shape.rows) + " x " + std::to_string(shape.columns));
    report.rows.push_back(products.measure(shape, report.copy_bytes_per_second));
  }
  return report;
}

}  // namespace kinema::bench
