// The cuda backend: a frame on the device is one launch, whose sums the device writes into host memory; a frame on the
// host is one copy and one launch.
#include "core/colour_view.h"
#include "core/stopwatch.h"
#include "head/moments/count_cuda.cuh"
#include "head/moments/frame_rows.h"
#include "head/moments/frame_upload_cuda.cuh"
#include "head/moments/moments_backends.h"
#include "kinema/error.h"

#include <algorithm>
#include <atomic>
#include <cmath>

namespace kinema::head {
namespace {

constexpr unsigned long long not_yet = ~0ull;  // placeholder for a part of a result: none is that large
constexpr int looks_a_check = 1 << 14;         // polls of a missing result before the device is asked for errors

std::size_t round_up(std::size_t value, std::size_t multiple) { return (value + multiple - 1) / multiple * multiple; }

// The work of one frame on the device.
struct Order {
  PixelFormat format;
  Region region;
  DevicePlanes planes;  // from the region's first pixel; on the host until sent
  bool weighed;
  DeviceWeighing weighing;
};

// The pixels that count, starting at a column and a row where loads of 16 bytes can begin.
Region region_of(const Box& box) {
  const std::size_t x = box.left / region_grain * region_grain, y = box.top / row_grain * row_grain;
  return {static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y), static_cast<std::uint32_t>(box.right - x),
          static_cast<std::uint32_t>(box.bottom - y)};
}

// Bytes of this many pixels in the first plane.
std::size_t bytes_of(PixelFormat format, std::size_t pixels) {
  ColourView row;
  row.format = format;
  row.width = pixels;
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

Order order_of(const ColourView& frame, const Weighing& weighing, const Box& box) {
  if (std::max(frame.width, frame.height) > longest_side)
    throw Error("frame: the cuda backend takes at most " + std::to_string(longest_side) +
                " pixels a side; use the cpu backend");
  const Region region = region_of(box);
  Order order{frame.format, region, {}, weighing.window || weighing.mask.data != nullptr, window_of(weighing)};
  order.planes = {frame.data + region.y * frame.stride + bytes_of(frame.format, region.x), nullptr, frame.stride,
                  frame.chroma_stride};
  if (frame.chroma != nullptr)
    order.planes.chroma = frame.chroma + region.y / row_grain * frame.chroma_stride + region.x;
  if (weighing.mask.data != nullptr) {
    order.weighing.mask = weighing.mask.data + region.y * weighing.mask.stride + region.x;
    order.weighing.mask_stride = weighing.mask.stride;
  }
  return order;
}

// Prepares the upload of what is not on the device, and replaces the order's addresses by those on the device.
void add_to_upload(Order& order, bool frame_on_device, FrameUpload& upload) {
  const Region& region = order.region;
  const bool mask = order.weighing.mask != nullptr && place_of(order.weighing.mask) != Place::device;
  if (!frame_on_device) {
    upload.add(order.planes.data, order.planes.stride, bytes_of(order.format, region.width), region.height);
    if (order.planes.chroma != nullptr)
      upload.add(order.planes.chroma, order.planes.chroma_stride, round_up(region.width, 2),
                 round_up(region.height, row_grain) / row_grain);
  }
  if (mask) upload.add(order.weighing.mask, order.weighing.mask_stride, region.width, region.height);
  if (upload.empty()) return;
  upload.reserve();
  std::size_t plane = 0;
  const auto place = [&](const std::uint8_t*& data, std::size_t& stride) {
    data = upload.data(plane);
    stride = upload.stride(plane++);
  };
  if (!frame_on_device) place(order.planes.data, order.planes.stride);
  if (!frame_on_device && order.planes.chroma != nullptr) place(order.planes.chroma, order.planes.chroma_stride);
  if (mask) place(order.weighing.mask, order.weighing.mask_stride);
}

class CudaMoments final : public DeviceMoments {
public:
  CudaMoments(const MomentsSettings& settings, int threads)
      : keep_time_(settings.stages), lanes_{Lane(threads), Lane(threads)} {}

  void set_classifier(const Classifier& classifier) override {
    check_classifier(classifier);
    count_.set_classifier(classifier, stream_);
  }

  void start(const ColourView& frame, const Weighing& weighing) override {
    check_frame(frame, true);
    check_weighing(frame, weighing);
    const Box box = pixels_that_count(frame, weighing);
    begin(box.empty() ? 0 : 1);
    if (!box.empty()) run(frame, weighing, box, 0);
  }

  Sums finish() override {
    const Sums sums = expected_ == 0 ? Sums{} : take(0);
    end();
    return sums;
  }

  using DeviceMoments::measure;

  void measure(std::span<const ColourView> frames, std::span<Sums> out) override {
    check_frames(frames, out, true);
    begin(frames.size());
    if (std::all_of(frames.begin(), frames.end(), [](const ColourView& frame) { return frame.on_device; })) {
      for (std::size_t first = 0; first < frames.size(); first += CountCuda::most_frames)
        run_batch(frames.subspan(first, std::min(CountCuda::most_frames, frames.size() - first)), first);
    } else {
      for (std::size_t i = 0; i < frames.size(); ++i) run(frames[i], {}, pixels_that_count(frames[i], {}), i);
    }
    for (std::size_t i = 0; i < frames.size(); ++i) out[i] = take(i);
    end();
  }

  double device_ms() const override {
    if (!timed_) return 0;
    wait_for(done_);
    return cuda::elapsed_ms(begun_, done_);
  }
  void keep_time(bool keep) override { keep_time_ = keep; }

  std::vector<StageTime> times() const override {
    std::vector<StageTime> times;
    if (timed_) times.push_back({"device", device_ms()});
    if (timed_ && last_arrival_ != nullptr) times.push_back({"transfer", cuda::elapsed_ms(begun_, *last_arrival_)});
    times.push_back({"wall", wall_ms_});
    return times;
  }

private:
  // A frame of the host in flight. There are two, so that one is filled while the other is counted.
  struct Lane {
    explicit Lane(int threads) : upload(threads) {}
    FrameUpload upload;
    cuda::Event counted;
    bool used = false;
  };

  static void wait_for(const cuda::Event& event) { cuda::check(cudaEventSynchronize(event), "waiting for the GPU"); }

  void begin(std::size_t frames) {
    watch_ = {};
    timed_ = false;
    last_arrival_ = nullptr;
    results_.reserve(frames);
    for (std::size_t i = 0; i < frames; ++i) std::fill_n(results_.data()[i].part, FrameResult::parts, not_yet);
    expected_ = frames;
  }
  void end() {
    expected_ = 0;
    wall_ms_ = watch_.ms();
  }

  void begin_timing(cudaStream_t stream) {
    if (timed_) return;
    begun_.record(stream);
    timed_ = true;
  }
  void end_timing() {
    if (timed_) done_.record(stream_);
  }

  // The sums of a frame as soon as they arrive. Polling the memory that the device writes is microseconds faster than
  // asking the driver.
  Sums take(std::size_t frame) {
    FrameResult result;
    for (int i = 0; i < FrameResult::parts; ++i) {
      std::atomic_ref<unsigned long long> slot(results_.data()[frame].part[i]);
      int looks = 0;
      bool ended = false;
      while ((result.part[i] = slot.load(std::memory_order_relaxed)) == not_yet) {
        if (++looks % looks_a_check != 0) continue;
        if (ended) throw Error("the GPU ended without a result", Error::Cause::running);
        const cudaError_t status = cudaStreamQuery(stream_);
        if (status != cudaErrorNotReady) cuda::check(status, "counting pixels");
        ended = status == cudaSuccess;
      }
    }
    return result.sums(unit_);
  }

  void count(const Order& order, std::size_t slot, bool hurry = false) {
    unit_ = count_.count(order.format, {&order.planes, 1}, order.region, order.weighed ? &order.weighing : nullptr,
                         results_.data() + slot, stream_, hurry);
  }

  // Frames on the device, weighted by colour alone.
  void run_batch(std::span<const ColourView> frames, std::size_t first) {
    std::array<DevicePlanes, CountCuda::most_frames> planes;
    const Box box = pixels_that_count(frames[0], {});
    for (std::size_t i = 0; i < frames.size(); ++i) planes[i] = order_of(frames[i], {}, box).planes;
    if (keep_time_) begin_timing(stream_);
    unit_ = count_.count(frames[0].format, {planes.data(), frames.size()}, region_of(box), nullptr,
                         results_.data() + first, stream_);
    end_timing();
  }

  // One frame, wherever it is. A single one needs no second stream, and no synchronisation between streams.
  void run(const ColourView& frame, const Weighing& weighing, const Box& box, std::size_t slot) {
    Order order = order_of(frame, weighing, box);
    if (frame.on_device && order.weighing.mask == nullptr) {
      if (keep_time_) begin_timing(stream_);
      count(order, slot, true);
      end_timing();
      return;
    }
    Lane& lane = lanes_[slot % lanes_.size()];
    if (std::exchange(lane.used, true)) wait_for(lane.counted);
    lane.upload.clear();
    add_to_upload(order, frame.on_device, lane.upload);
    const cudaStream_t copies = expected_ > 1 ? copies_ : stream_;
    begin_timing(copies);
    lane.upload.send(copies, stream_, keep_time_);
    count(order, slot);
    if (keep_time_) last_arrival_ = &lane.upload.arrived();
    lane.counted.record(stream_);
    end_timing();
  }

  bool keep_time_, timed_ = false;
  std::size_t expected_ = 0;  // frames of this call
  Stopwatch watch_;
  double wall_ms_ = 0;
  double unit_ = 1;  // of the weights of this call
  const cuda::Event* last_arrival_ = nullptr;
  cuda::PinnedBuffer<FrameResult> results_;  // (frame)
  CountCuda count_;
  std::array<Lane, 2> lanes_;
  cuda::Event begun_, done_;
  cuda::Stream stream_, copies_;  // last, so that they end before the memory they use
};

}  // namespace

std::unique_ptr<DeviceMoments> make_cuda_device_moments(const MomentsSettings& settings, int threads) {
  return std::make_unique<CudaMoments>(settings, threads);
}

std::unique_ptr<Moments> make_cuda_moments(const MomentsSettings& settings, int threads) {
  return make_cuda_device_moments(settings, threads);
}

}  // namespace kinema::head
