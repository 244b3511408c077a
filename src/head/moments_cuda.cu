// The cuda backend: a frame on the device is one launch, whose sums the device writes into the host's memory; a frame of
// the host is counted while it arrives.
#include "head/count_cuda.cuh"
#include "head/device_moments.h"
#include "head/frame_rows.h"
#include "head/frame_upload_cuda.cuh"
#include "head/moments_backends.h"
#include "head/moments_joint.h"
#include "kinema/error.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <cmath>

namespace kinema::head {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t piece_rows = 8;                 // pieces begin at a multiple, and so do strips
constexpr std::size_t least_piece = 256u << 10;       // bytes; smaller ones take longer to order than to send
constexpr std::uint64_t not_yet = ~std::uint64_t{0};  // in place of a sum: a NaN that no computation gives
constexpr int looks_a_check = 1 << 14;                // at a result that does not come, before the device is asked why

std::size_t round_up(std::size_t value, std::size_t multiple) { return (value + multiple - 1) / multiple * multiple; }

// The pixels that count, from a column and a row where loads of 16 bytes can begin.
Region region_of(const Box& box) {
  const std::size_t x = box.left / region_grain * region_grain, y = box.top / row_grain * row_grain;
  return {static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y), static_cast<std::uint32_t>(box.right - x),
          static_cast<std::uint32_t>(box.bottom - y)};
}

// Bytes of the first plane before column x, a multiple of region_grain.
std::size_t bytes_before(PixelFormat format, std::size_t x) {
  ColourView row;
  row.format = format;
  row.width = x;
  return row_bytes(row);
}

DeviceWeighing window_of(const Weighing& weighing) {
  DeviceWeighing on_device;
  if (!weighing.window) return on_device;
  const Window& window = *weighing.window;
  on_device.window = true;
  const auto split = [](double centre, int& whole, float& rest) {
    whole = static_cast<int>(std::clamp(std::floor(centre), -1e9, 1e9));
    rest = static_cast<float>(centre - whole);
  };
  split(window.cx, on_device.cx, on_device.cx_rest);
  split(window.cy, on_device.cy, on_device.cy_rest);
  // finite, or a pixel at the very centre of a window without width would be 0 times infinity
  const auto scale = [](double radius) { return static_cast<float>(std::min(1 / radius, 1e30)); };
  on_device.x_scale = scale(window.rx);
  on_device.y_scale = scale(window.ry);
  return on_device;
}

class CudaMoments final : public DeviceMoments {
public:
  explicit CudaMoments(const MomentsSettings& settings) : pieces_(std::min(settings.pieces, FrameUpload::most_pieces)) {
    results_.reserve(CountCuda::sums);
  }

  void set_classifier(const Classifier& classifier) override {
    check_classifier(classifier);
    count_.set_classifier(classifier, stream_);
  }

  void start(const ColourView& frame, const Weighing& weighing) override {
    check_frame(frame, true);
    check_weighing(frame, weighing);
    started_ = Clock::now();
    timed_ = false;
    const Box box = pixels_that_count(frame, weighing);
    expect(box.empty() ? 0 : 1);
    if (!box.empty()) order(frame, weighing, box, 0);
  }

  Sums finish() override {
    const Sums sums = expected_ == 0 ? Sums{} : take(0);
    expected_ = 0;
    wall_ms_ = std::chrono::duration<double, std::milli>(Clock::now() - started_).count();
    return sums;
  }

  using DeviceMoments::measure;

  void measure(std::span<const ColourView> frames, std::span<Sums> out) override {
    check_frames(frames, out, true);
    started_ = Clock::now();
    timed_ = false;
    expect(frames.size());
    if (std::all_of(frames.begin(), frames.end(), [](const ColourView& frame) { return frame.on_device; })) {
      for (std::size_t first = 0; first < frames.size(); first += CountCuda::most_frames)
        order_batch(frames.subspan(first, std::min(CountCuda::most_frames, frames.size() - first)), first);
    } else {
      for (std::size_t i = 0; i < frames.size(); ++i) order(frames[i], {}, pixels_that_count(frames[i], {}), i);
    }
    for (std::size_t i = 0; i < frames.size(); ++i) out[i] = take(i);
    expected_ = 0;
    wall_ms_ = std::chrono::duration<double, std::milli>(Clock::now() - started_).count();
  }

  double device_ms() const override { return timed_ ? (wait_for(done_), cuda::elapsed_ms(begun_, done_)) : 0; }
  void keep_time(bool keep) override { keep_time_ = keep; }

  std::vector<StageTime> times() const override {
    std::vector<StageTime> times;
    if (timed_) times.push_back({"device", device_ms()});
    if (timed_ && last_arrival_ != nullptr) times.push_back({"transfer", cuda::elapsed_ms(begun_, *last_arrival_)});
    times.push_back({"wall", wall_ms_});
    return times;
  }

private:
  // A frame of the host on its way. There are two, so that one is filled while the other is counted.
  struct Lane {
    FrameUpload upload;
    cuda::Event counted;
    bool used = false;
  };

  static void wait_for(const cuda::Event& event) { cuda::check(cudaEventSynchronize(event), "waiting for the GPU"); }

  void expect(std::size_t frames) {
    results_.reserve(CountCuda::sums * frames);
    std::fill_n(results_.data(), CountCuda::sums * frames, not_yet);
    expected_ = frames;
    ordered_ = 0;
  }

  double* results(std::size_t frame) { return reinterpret_cast<double*>(results_.data()) + CountCuda::sums * frame; }

  // The sums of a frame as soon as they are there. Looking at the memory that the device writes is microseconds faster
  // than asking the driver.
  Sums take(std::size_t frame) {
    double sums[CountCuda::sums];
    for (std::size_t i = 0; i < CountCuda::sums; ++i) {
      std::atomic_ref<std::uint64_t> slot(results_.data()[CountCuda::sums * frame + i]);
      int looks = 0;
      bool ended = false;
      std::uint64_t bits;
      while ((bits = slot.load(std::memory_order_relaxed)) == not_yet) {
        if (++looks % looks_a_check != 0) continue;
        if (ended) throw Error("the GPU ended without a result", Error::Cause::running);
        const cudaError_t status = cudaStreamQuery(stream_);
        if (status != cudaErrorNotReady) cuda::check(status, "counting pixels");
        ended = status == cudaSuccess;
      }
      sums[i] = std::bit_cast<double>(bits);
    }
    return {sums[0], sums[1], sums[2], sums[3], sums[4]};
  }

  void begin_timing(cudaStream_t stream, bool wanted) {
    if (ordered_++ > 0 || !wanted) return;
    begun_.record(stream);
    timed_ = true;
    last_arrival_ = nullptr;
  }
  void end_timing() {
    if (timed_) done_.record(stream_);
  }

  // Frames of the device, weighed by their colour alone.
  void order_batch(std::span<const ColourView> frames, std::size_t first) {
    check_sides(frames[0]);
    std::array<DevicePlanes, CountCuda::most_frames> planes;
    for (std::size_t i = 0; i < frames.size(); ++i)
      planes[i] = {frames[i].data, frames[i].chroma, frames[i].stride, frames[i].chroma_stride};
    begin_timing(stream_, keep_time_);
    count_.count(frames[0].format, {planes.data(), frames.size()}, region_of(pixels_that_count(frames[0], {})), nullptr,
                 {}, results(first), stream_);
    end_timing();
  }

  // One frame, wherever it lies.
  void order(const ColourView& frame, const Weighing& weighing, const Box& box, std::size_t slot) {
    check_sides(frame);
    const Region region = region_of(box);
    const bool weighed = weighing.window || weighing.mask.data != nullptr;
    if (frame.on_device && !weighed) {
      begin_timing(stream_, keep_time_);
      const DevicePlanes planes{frame.data, frame.chroma, frame.stride, frame.chroma_stride};
      count_.count(frame.format, {&planes, 1}, region, nullptr, {}, results(slot), stream_);
      end_timing();
      return;
    }

    Lane& lane = lanes_[slot % lanes_.size()];
    if (std::exchange(lane.used, true)) wait_for(lane.counted);
    lane.upload.clear();
    const DevicePlanes planes = frame_planes(frame, region, lane.upload);
    DeviceWeighing on_device = window_of(weighing);
    if (weighing.mask.data != nullptr) {
      const std::uint8_t* from = weighing.mask.data + region.y * weighing.mask.stride + region.x;
      on_device.mask = from;
      on_device.mask_stride = weighing.mask.stride;
      if (place_of(from) != Place::device)
        on_device.mask =
            lane.upload.add(from, weighing.mask.stride, region.width, region.height, 1, on_device.mask_stride);
    }
    begin_timing(lane.upload.empty() ? stream_ : copies_, keep_time_ || !lane.upload.empty());
    order_pieces(frame.format, planes, region, weighed ? &on_device : nullptr, lane, slot);
    lane.counted.record(stream_);
    end_timing();
  }

  // Where the region's first pixel stands, or will stand, on the device.
  static DevicePlanes frame_planes(const ColourView& frame, const Region& region, FrameUpload& upload) {
    const std::size_t before = bytes_before(frame.format, region.x);
    DevicePlanes planes{frame.data + region.y * frame.stride + before, nullptr, frame.stride, frame.chroma_stride};
    if (frame.chroma != nullptr) planes.chroma = frame.chroma + region.y / row_grain * frame.chroma_stride + region.x;
    if (frame.on_device) return planes;
    ColourView row = frame;
    row.width = region.width;
    planes.data = upload.add(planes.data, frame.stride, row_bytes(row), region.height, 1, planes.stride);
    if (frame.chroma != nullptr)
      planes.chroma = upload.add(planes.chroma, frame.chroma_stride, round_up(region.width, 2),
                                 round_up(region.height, row_grain) / row_grain, row_grain, planes.chroma_stride);
    return planes;
  }

  void order_pieces(PixelFormat format, const DevicePlanes& planes, const Region& region,
                    const DeviceWeighing* weighing, Lane& lane, std::size_t slot) {
    const std::size_t most = std::min(lane.upload.bytes() / least_piece, std::size_t{region.height} / piece_rows);
    const int pieces = static_cast<int>(std::clamp(most, std::size_t{1}, static_cast<std::size_t>(pieces_)));
    std::size_t first = 0;
    for (int piece = 0; piece < pieces; ++piece) {
      const bool last = piece + 1 == pieces;
      const std::size_t end =
          last ? region.height
               : round_up(region.height * static_cast<std::size_t>(piece + 1) / static_cast<std::size_t>(pieces),
                          piece_rows);
      if (!lane.upload.empty()) lane.upload.send(piece, first, end, copies_, stream_);
      DevicePlanes part = planes;
      part.data += first * planes.stride;
      if (planes.chroma != nullptr) part.chroma += first / row_grain * planes.chroma_stride;
      DeviceWeighing part_weighing;
      if (weighing != nullptr) {
        part_weighing = *weighing;
        if (weighing->mask != nullptr) part_weighing.mask += first * weighing->mask_stride;
      }
      const Region rows{region.x, region.y + static_cast<std::uint32_t>(first), region.width,
                        static_cast<std::uint32_t>(end - first)};
      count_.count(format, {&part, 1}, rows, weighing != nullptr ? &part_weighing : nullptr, {piece == 0, last},
                   results(slot), stream_);
      first = end;
    }
    if (!lane.upload.empty()) last_arrival_ = &lane.upload.arrived(pieces - 1);
  }

  static void check_sides(const ColourView& frame) {
    if (std::max(frame.width, frame.height) > longest_side)
      throw Error("frame: the cuda backend takes at most " + std::to_string(longest_side) +
                  " pixels a side; use the cpu backend");
  }

  int pieces_;
  bool keep_time_ = false, timed_ = false;
  std::size_t expected_ = 0, ordered_ = 0;  // frames of this call
  Clock::time_point started_;
  double wall_ms_ = 0;
  const cuda::Event* last_arrival_ = nullptr;
  cuda::PinnedBuffer<std::uint64_t> results_;  // (frame, sum), the bits of doubles
  CountCuda count_;
  std::array<Lane, 2> lanes_;
  cuda::Event begun_, done_;
  cuda::Stream stream_, copies_;  // last, so that they end before the memory they use
};

}  // namespace

std::unique_ptr<DeviceMoments> make_cuda_device_moments(const MomentsSettings& settings) {
  return std::make_unique<CudaMoments>(settings);
}

std::unique_ptr<Moments> make_cuda_moments(const MomentsSettings& settings) {
  return make_cuda_device_moments(settings);
}

std::unique_ptr<Moments> make_joint_moments(const MomentsSettings& settings) {
  return std::make_unique<JointMoments>(make_cuda_device_moments(settings), make_cpu_moments(settings));
}

}  // namespace kinema::head
