// The cuda backend: streams samples through the device in chunks that fit into its memory limit, one chunk being
// uploaded while another is weighed.
#include "body/likelihood/likelihood_backends.h"
#include "body/likelihood/weigh_cuda.cuh"
#include "core/stopwatch.h"
#include "kinema/error.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace kinema::body {
namespace {

// One chunk of samples in flight, with its own stream and memory.
struct Lane {
  explicit Lane(const LikelihoodSettings& settings) : weigh(settings) {}

  cuda::Stream stream;
  WeighCuda weigh;
  cuda::PinnedBuffer<float> capsules_host;
  cuda::Buffer<float> capsules;
  cuda::Buffer<double> out;
  cuda::PinnedBuffer<double> out_host;
  cuda::Buffer<unsigned long long> bad;
  cuda::PinnedBuffer<unsigned long long> bad_host;
  cuda::Event begin, uploaded, done;
  std::size_t first = 0, count = 0;  // samples in flight
};

class CudaLikelihood final : public Likelihood {
public:
  explicit CudaLikelihood(const LikelihoodSettings& settings)
      : settings_(settings), lanes_{Lane(settings), Lane(settings)} {}

  PointCount set_points(PointsView points) override {
    const Stopwatch watch;
    const PointCount count = tiles_.set_points(points, settings_, lanes_[0].stream);
    lanes_[0].stream.wait();  // the other stream reads the tiles too
    times_ = {{"set_points", watch.ms()}};
    return count;
  }

  void evaluate(CapsulesView capsules, std::span<double> out) override {
    check_sizes(capsules, out);
    const Stopwatch watch;
    stages_ = {};
    if (capsules.rows == 0) return;
    if (tiles_.tiles() == 0) {
      check_capsules(capsules);
      std::fill(out.begin(), out.end(), 0.0);
    } else {
      const std::size_t chunk = chunk_of(capsules);
      std::size_t next = 0;
      for (std::size_t first = 0; first < capsules.rows; first += chunk, next ^= 1) {
        finish(lanes_[next], capsules, out);
        send(lanes_[next], capsules, first, std::min(chunk, capsules.rows - first));
      }
      // in the order of the samples, so that the first invalid capsule is the one reported
      finish(lanes_[next], capsules, out);
      finish(lanes_[next ^ 1], capsules, out);
    }
    times_.clear();
    double device = 0;
    static constexpr const char* names[] = {"upload", "prepare", "evaluate", "reduce", "download"};
    for (std::size_t i = 0; i < stages_.size(); ++i) {
      times_.push_back({names[i], stages_[i]});
      if (i > 0 && i < 4) device += stages_[i];
    }
    times_.push_back({"device", device});
    times_.push_back({"wall", watch.ms()});
  }

  std::vector<StageTime> times() const override { return times_; }

private:
  // Samples per chunk: both lanes, and the points, within the memory limit.
  std::size_t chunk_of(CapsulesView capsules) const {
    const auto tiles = static_cast<std::size_t>(tiles_.tiles());
    const std::size_t each = WeighCuda::bytes(1, capsules.columns, tiles) + sizeof(double) +
                             capsules.columns * capsule_floats * sizeof(float);
    const std::size_t taken = tiles_.bytes() + (std::size_t{8} << 20);  // with a margin for the allocator's rounding
    if (taken + 2 * each > settings_.device_memory)
      throw Error("device_memory: " + std::to_string(settings_.device_memory >> 20) +
                  " MiB hold not one sample beside the points; allow at least " +
                  std::to_string((taken + 2 * each >> 20) + 1) + " MiB");
    constexpr std::size_t enough = 4096;  // samples that fill any device
    return std::min(enough, (settings_.device_memory - taken) / (2 * each));
  }

  void send(Lane& lane, CapsulesView capsules, std::size_t first, std::size_t count) {
    const std::size_t numbers = count * capsules.columns * capsule_floats;
    lane.first = first;
    lane.count = count;
    lane.capsules_host.reserve(numbers);
    lane.capsules.reserve(numbers);
    lane.out.reserve(count);
    lane.out_host.reserve(count);
    lane.bad.reserve(1);
    lane.bad_host.reserve(1);

    if (numbers > 0) std::memcpy(lane.capsules_host.data(), capsules.row(first), numbers * sizeof(float));
    lane.begin.record(lane.stream);
    cuda::check(cudaMemsetAsync(lane.bad.data(), 0xff, sizeof(unsigned long long), lane.stream), "clearing");
    cuda::check(cudaMemcpyAsync(lane.capsules.data(), lane.capsules_host.data(), numbers * sizeof(float),
                                cudaMemcpyHostToDevice, lane.stream),
                "uploading capsules");
    lane.weigh.weigh(tiles_.view(), lane.capsules.data(), count, capsules.columns, lane.out.data(), lane.bad.data(),
                     lane.stream);
    cuda::check(cudaMemcpyAsync(lane.out_host.data(), lane.out.data(), count * sizeof(double), cudaMemcpyDeviceToHost,
                                lane.stream),
                "downloading results");
    cuda::check(cudaMemcpyAsync(lane.bad_host.data(), lane.bad.data(), sizeof(unsigned long long),
                                cudaMemcpyDeviceToHost, lane.stream),
                "downloading results");
    lane.done.record(lane.stream);
  }

  void finish(Lane& lane, CapsulesView capsules, std::span<double> out) {
    if (lane.count == 0) return;
    const std::size_t count = std::exchange(lane.count, 0);
    lane.stream.wait();
    stages_[0] += cuda::elapsed_ms(lane.begin, lane.weigh.stage(0));
    for (int i = 0; i < WeighCuda::stage_count; ++i)
      stages_[1 + i] += cuda::elapsed_ms(lane.weigh.stage(i), lane.weigh.stage(i + 1));
    stages_[4] += cuda::elapsed_ms(lane.weigh.stage(WeighCuda::stage_count), lane.done);
    if (const unsigned long long bad = *lane.bad_host.data(); bad != ~0ull) {
      for (Lane& other : lanes_) {
        other.stream.wait();
        other.count = 0;
      }
      refuse_capsule(capsules, lane.first + bad / capsules.columns, bad % capsules.columns);
    }
    std::copy_n(lane.out_host.data(), count, out.begin() + static_cast<std::ptrdiff_t>(lane.first));
  }

  LikelihoodSettings settings_;
  RayTilesCuda tiles_;
  std::array<Lane, 2> lanes_;
  std::array<double, 5> stages_{};
  std::vector<StageTime> times_;
};

}  // namespace

std::unique_ptr<Likelihood> make_cuda_likelihood(const LikelihoodSettings& settings) {
  return std::make_unique<CudaLikelihood>(settings);
}

}  // namespace kinema::body
