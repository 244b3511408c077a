// The cuda backend: both pictures go to the device, disparities and deviations of the window come back.
#include "core/cuda/buffer.h"
#include "core/threads.h"
#include "kinema/error.h"
#include "stereo/constants.h"
#include "stereo/evidence_cuda.cuh"
#include "stereo/matcher_backends.h"
#include "stereo/paths_cuda.cuh"

#include <algorithm>
#include <cstring>
#include <string>

namespace kinema::stereo {
namespace {

class CudaMatcher final : public Matcher {
public:
  CudaMatcher(const Plan& plan, const Window& whole, double focal_baseline)
      : Matcher(whole, focal_baseline), plan_(plan), threads_(plan.threads), penalties_(plan.large_step.size()) {
    if (plan.disparities > most_device_disparities)
      throw Error("stereo: " + std::to_string(plan.disparities) + " disparities; the cuda backend takes at most " +
                  std::to_string(most_device_disparities));
    cuda::upload(penalties_.data(), plan.large_step.data(), plan.large_step.size());
    const std::size_t pixels = static_cast<std::size_t>(plan.width) * static_cast<std::size_t>(plan.height);
    for (int side = 0; side < 2; ++side) {
      pictures_[side].reserve(pixels);
      smooth_[side].reserve(pixels);
      census_[side].reserve(pixels);
    }
    aligned_.reserve(pixels);
    sent_.reserve(2 * pixels);
    got_.reserve(pixels);
  }

  void match(ImageView<const std::uint8_t> left, ImageView<const std::uint8_t> right, const RowShift& shift,
             const Window& window, Disparities& out) override {
    check_pair(plan_, left, right, window);
    upload(left, 0);
    upload(right, 1);
    start_.record(stream_);
    const std::uint8_t* other = pictures_[1].data();
    if (shift.a != 0 || shift.b != 0 || shift.c != 0) {
      align_rows(other, aligned_.data(), plan_.width, plan_.height, shift.a, shift.b, shift.c, stream_);
      other = aligned_.data();
    }
    take_census(pictures_[0].data(), smooth_[0].data(), census_[0].data(), plan_.width, plan_.height, stream_);
    take_census(other, smooth_[1].data(), census_[1].data(), plan_.width, plan_.height, stream_);
    const DevicePair pair = pair_of(window);
    follow_paths(pair, stream_);
    const DeviceEvidence evidence = evidence_of(window, other);
    choose_disparities(pair, evidence.found, stream_);
    chosen_.record(stream_);
    judge_disparities(evidence, stream_);
    end_.record(stream_);
    const std::size_t pixels = static_cast<std::size_t>(pair.columns) * static_cast<std::size_t>(pair.rows);
    cuda::check(cudaMemcpyAsync(got_.data(), evidence.out, pixels * sizeof(float2), cudaMemcpyDeviceToHost, stream_),
                "downloading disparities");
    resize(plan_, out);
    const auto width = static_cast<std::size_t>(plan_.width);
    stream_.wait();
    threads_.for_each(static_cast<std::size_t>(pair.rows), [&](std::size_t y) {
      const float2* row = got_.data() + y * static_cast<std::size_t>(pair.columns);
      const std::size_t first =
          (static_cast<std::size_t>(window.top) + y) * width + static_cast<std::size_t>(window.left);
      for (std::size_t x = 0; x < static_cast<std::size_t>(pair.columns); ++x)
        out.disparity[first + x] = row[x].x, out.deviation[first + x] = row[x].y;
    });
    times_ = {{"paths", cuda::elapsed_ms(start_, chosen_)}, {"refine", cuda::elapsed_ms(chosen_, end_)}};
  }

  std::vector<StageTime> times() const override { return times_; }

private:
  void upload(ImageView<const std::uint8_t> picture, std::size_t side) {
    const std::size_t pixels = picture.width * picture.height;
    std::uint8_t* staged = sent_.data() + side * pixels;
    for (std::size_t y = 0; y < picture.height; ++y)
      std::memcpy(staged + y * picture.width, picture.data + y * picture.stride, picture.width);
    cuda::check(cudaMemcpyAsync(pictures_[side].data(), staged, pixels, cudaMemcpyHostToDevice, stream_),
                "uploading a picture");
  }

  DevicePair pair_of(const Window& window) {
    DevicePair pair{};
    pair.width = plan_.width;
    pair.height = plan_.height;
    pair.x = window.left;
    pair.y = window.top;
    pair.columns = window.right - window.left;
    pair.rows = window.bottom - window.top;
    pair.first = window.first;
    pair.disparities = rounded_disparities(plan_, window);
    pair.left = census_[0].data();
    pair.right = census_[1].data();
    pair.smooth = smooth_[0].data();
    pair.large_step = penalties_.data();
    pair.small_step = constants::small_step;
    pair.uniqueness = static_cast<float>(constants::uniqueness);
    costs_.reserve(pair.volume());
    paths_.reserve(8 * pair.volume());
    pair.costs = costs_.data();
    pair.paths = paths_.data();
    return pair;
  }

  DeviceEvidence evidence_of(const Window& window, const std::uint8_t* right) {
    const int columns = window.right - window.left, rows = window.bottom - window.top;
    const std::size_t pixels = static_cast<std::size_t>(columns + columns % 2) * static_cast<std::size_t>(rows);
    for (auto& plane : planes_) plane.reserve(pixels);
    for (auto& plane : pairs_) plane.reserve(pixels);
    return {plan_.width,
            plan_.height,
            window.left,
            window.top,
            columns,
            rows,
            plan_.nearest,
            plan_.farthest,
            pictures_[0].data(),
            right,
            smooth_[0].data(),
            smooth_[1].data(),
            pairs_[0].data(),
            planes_[0].data(),
            planes_[1].data(),
            planes_[2].data(),
            planes_[3].data(),
            planes_[4].data(),
            planes_[5].data(),
            planes_[6].data(),
            pairs_[1].data()};
  }

  Plan plan_;
  Threads threads_;
  cuda::Stream stream_;
  cuda::Event start_, chosen_, end_;
  cuda::Buffer<std::uint8_t> penalties_, pictures_[2], aligned_, costs_, paths_;
  cuda::Buffer<std::uint16_t> smooth_[2];
  cuda::Buffer<std::uint32_t> census_[2];
  cuda::Buffer<float> planes_[7];
  cuda::Buffer<float2> pairs_[2];
  cuda::PinnedBuffer<std::uint8_t> sent_;
  cuda::PinnedBuffer<float2> got_;
  std::vector<StageTime> times_;
};

}  // namespace

std::unique_ptr<Matcher> make_cuda_matcher(const Plan& plan, const Window& whole, double focal_baseline) {
  return std::make_unique<CudaMatcher>(plan, whole, focal_baseline);
}

}  // namespace kinema::stereo
