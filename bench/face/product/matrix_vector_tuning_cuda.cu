// The measurement behind tuned_layout().
#include "bench/face/product/matrix_vector_cuda.h"
#include "core/cuda/launch_sequence.h"
#include "core/device_failure.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace kinema::cuda {
namespace {

constexpr double turn_ms = 0.1;    // of launches in a row: long against the resolution of events
constexpr int most_launches = 20;  // in it
constexpr double hopeless = 2;     // times the best so far: not measured further
constexpr std::size_t finalists = 6;
constexpr int first_turns = 3, final_turns = 15;

// One layout, with the time of a launch among others of its kind.
class Contestant {
public:
  Contestant(int rows, int columns, const MatrixVectorLayout& layout) : product_(rows, columns, layout) {}

  // Of a single launch, its overhead included.
  double try_once(const MatrixVectorOperands& operands, cudaStream_t stream) {
    const auto once = [&] {
      begin_.record(stream);
      product_.launch(operands, stream);
      end_.record(stream);
      check(cudaEventSynchronize(end_), "timing a product");
      return elapsed_ms(begin_, end_);
    };
    once();
    return std::min(once(), once());
  }

  void record(const MatrixVectorOperands& operands, cudaStream_t stream, int launches) {
    launches_ = launches;
    sequence_.record(stream, [&] {
      for (int i = 0; i < launches; ++i) product_.launch(operands, stream);
    });
    sequence_.launch(stream);
  }

  void measure(cudaStream_t stream, int turns) {
    for (int i = 0; i < turns; ++i) {
      begin_.record(stream);
      sequence_.launch(stream);
      end_.record(stream);
      check(cudaEventSynchronize(end_), "timing a product");
      times_.push_back(elapsed_ms(begin_, end_) / launches_);
    }
  }

  double median() {
    std::nth_element(times_.begin(), times_.begin() + static_cast<std::ptrdiff_t>(times_.size() / 2), times_.end());
    return times_[times_.size() / 2];
  }
  void forget() { times_.clear(); }
  const MatrixVectorLayout& layout() const { return product_.layout(); }

private:
  MatrixVector product_;
  LaunchSequence sequence_;
  Event begin_, end_;
  std::vector<double> times_;
  int launches_ = 1;
};

MatrixVectorLayout fastest_layout(const MatrixVectorDevice& device, int rows, int columns,
                                  const MatrixVectorOperands& operands) {
  const Stream stream;
  // a device may refuse a layout, such as a cluster that fits on none of its groups of multiprocessors
  std::optional<DeviceFailure> refusal;
  std::vector<std::unique_ptr<Contestant>> contestants;
  double best = std::numeric_limits<double>::infinity();
  for (const MatrixVectorLayout& layout : candidate_layouts(device, rows, columns)) {
    try {
      auto one = std::make_unique<Contestant>(rows, columns, layout);
      const double ms = one->try_once(operands, stream);
      if (ms > hopeless * best) continue;
      const int launches = std::clamp(static_cast<int>(turn_ms / std::max(ms, 1e-3)), 1, most_launches);
      one->record(operands, stream, launches);
      one->measure(stream, first_turns);
      best = std::min(best, ms);
      contestants.push_back(std::move(one));
    } catch (const DeviceFailure& failure) {
      refusal = failure;
    }
  }
  if (contestants.empty()) throw refusal.value();
  const auto by_time = [](const auto& a, const auto& b) { return a->median() < b->median(); };
  std::sort(contestants.begin(), contestants.end(), by_time);
  contestants.resize(std::min(contestants.size(), finalists));
  for (const auto& one : contestants) one->forget();
  // in turns, so that a clock that drifts does so for all of them
  for (int turn = 0; turn < final_turns; ++turn)
    for (const auto& one : contestants) one->measure(stream, 1);
  return (*std::min_element(contestants.begin(), contestants.end(), by_time))->layout();
}

}  // namespace

MatrixVectorLayout tuned_layout(int rows, int columns, const MatrixVectorOperands& operands, const LayoutFile& file) {
  const MatrixVectorDevice device = matrix_vector_device();
  const auto multiply = [&](const MatrixVectorLayout& layout) {
    const Stream stream;
    const MatrixVector product(rows, columns, layout);
    product.launch(operands, stream);
    stream.wait();
  };
  if (const auto known = file.find(device.name, rows, columns); known && possible(*known, device, rows, columns)) {
    try {
      multiply(*known);
      return *known;
    } catch (const DeviceFailure&) {
      // another device of this name could, this one cannot
    }
  }
  const MatrixVectorLayout layout = fastest_layout(device, rows, columns, operands);
  file.keep({device.name, rows, columns, layout});
  multiply(layout);
  return layout;
}

}  // namespace kinema::cuda
