// The paper's versions GPU 1 to GPU 8 as backends: the frame is sent as pixels of 4 bytes, and one kernel sums it.
#include "bench/head/steps/gpu_kernels_cuda.cuh"
#include "bench/head/steps/steps.h"
#include "core/cuda/buffer.h"
#include "head/moments/count_cuda.cuh"
#include "head/moments/moments_backends.h"
#include "head/moments/pixel_reader.h"
#include "kinema/error.h"

#include <algorithm>
#include <string>

namespace kinema::head {
namespace {

using namespace ladder;

// Pixels of a frame on the device in the paper's format, converted if necessary.
template <PixelFormat format>
__global__ void make_pixels(ColourView frame, uchar4* out) {
  const auto x = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x, y = std::size_t{blockIdx.y};
  if (x >= frame.width) return;
  const Rgb p = PixelRow<format>(frame, y)[x];
  out[y * frame.width + x] = {p.r, p.g, p.b, 0};
}

template <class Weight>
void launch(int step, unsigned multiprocessors, const Frame<Weight>& frame, cudaStream_t stream) {
  // steps 1 to 4 have one thread per pixel; the others as many blocks as the device holds at once, half of them from 6
  // on
  const unsigned all = (frame.N + threads_per_block - 1) / threads_per_block;
  constexpr void (*kernels[])(Frame<Weight>) = {gpu1<Weight>, gpu2<Weight>, gpu3<Weight>, gpu4<Weight>,
                                                gpu5<Weight>, gpu6<Weight>, gpu7<Weight>, gpu8<Weight>};
  static const unsigned held = [] {
    int blocks = 1;
    cuda::check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, gpu5<Weight>, threads_per_block, 0),
                "asking for its size");
    return static_cast<unsigned>(std::max(2, blocks));
  }();
  const unsigned blocks = std::min(all, step < 5 ? all : (step == 5 ? held : held / 2) * multiprocessors);
  kernels[step - 1]<<<blocks, threads_per_block, 0, stream>>>(frame);
  cuda::check_launch("counting pixels");
}

class GpuStep final : public GpuStepMoments {
public:
  explicit GpuStep(int step) : step_(step), sums_(1), sums_host_(1) {
    int device = 0, count = 1;
    cuda::check(cudaGetDevice(&device), "asking for the device");
    cuda::check(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device), "asking for its size");
    multiprocessors_ = static_cast<unsigned>(count);
  }

  void set_classifier(const Classifier& classifier) override {
    check_classifier(classifier);
    classifier_ = classifier;
    if (const auto* table = std::get_if<std::shared_ptr<const Table>>(&classifier)) {
      table_.reserve((*table)->degrees.size());
      cuda::check(cudaMemcpyAsync(table_.data(), (*table)->degrees.data(), (*table)->degrees.size(),
                                  cudaMemcpyHostToDevice, stream_),
                  "uploading a table");
      stream_.wait();
    }
  }

  void start(const ColourView& frame, const Weighing& weighing) override {
    check_frame(frame, true);
    check_unweighed(weighing, "gpu" + std::to_string(step_));
    if (std::max(frame.width, frame.height) > longest_side)
      throw Error("frame: the steps on the GPU take at most " + std::to_string(longest_side) + " pixels a side");
    const std::size_t N = frame.width * frame.height;
    const bool as_it_is = frame.format == PixelFormat::rgba && frame.stride == 4 * frame.width;
    const uchar4* pixels = reinterpret_cast<const uchar4*>(frame.data);
    if (frame.on_device && !(as_it_is && reinterpret_cast<std::uintptr_t>(pixels) % sizeof(uchar4) == 0)) {
      pixels_.reserve(N);
      with_format(frame.format, [&](auto format) {
        const dim3 grid(static_cast<unsigned>((frame.width + 255) / 256), static_cast<unsigned>(frame.height));
        make_pixels<format()><<<grid, 256, 0, stream_>>>(frame, pixels_.data());
      });
      cuda::check_launch("converting pixels");
      pixels = pixels_.data();
    } else if (!frame.on_device && !as_it_is) {
      pixels_host_.reserve(N);
      with_format(frame.format, [&](auto format) {
        for (std::size_t y = 0; y < frame.height; ++y) {
          const PixelRow<format()> row(frame, y);
          for (std::size_t x = 0; x < frame.width; ++x) {
            const Rgb p = row[x];
            pixels_host_.data()[y * frame.width + x] = {p.r, p.g, p.b, 0};
          }
        }
      });
      pixels = pixels_host_.data();
    }

    begun_.record(stream_);
    if (!frame.on_device) {
      pixels_.reserve(N);
      cuda::check(cudaMemcpyAsync(pixels_.data(), pixels, N * sizeof(uchar4), cudaMemcpyHostToDevice, stream_),
                  "uploading a frame");
      pixels = pixels_.data();
    }
    sent_.record(stream_);
    cuda::check(cudaMemsetAsync(sums_.data(), 0, sizeof(FrameSums), stream_), "clearing");
    cleared_.record(stream_);
    count(pixels, frame.width, frame.height);
    counted_.record(stream_);
    cuda::check(cudaMemcpyAsync(sums_host_.data(), sums_.data(), sizeof(FrameSums), cudaMemcpyDeviceToHost, stream_),
                "downloading results");
    done_.record(stream_);
  }

  Sums finish() override {
    stream_.wait();
    const FrameSums& sums = *sums_host_.data();
    return {sums.w, sums.x, sums.y, 0, 0};
  }

  double kernels_ms(std::span<const ColourView> frames) override {
    cuda::check(cudaMemsetAsync(sums_.data(), 0, sizeof(FrameSums), stream_), "clearing");
    cleared_.record(stream_);
    for (const ColourView& frame : frames)
      count(reinterpret_cast<const uchar4*>(frame.data), frame.width, frame.height);
    counted_.record(stream_);
    stream_.wait();
    return cuda::elapsed_ms(cleared_, counted_);
  }

  double device_ms() const override { return cuda::elapsed_ms(begun_, done_); }
  void keep_time(bool) override {}

  std::vector<StageTime> times() const override {
    return {{"transfer", cuda::elapsed_ms(begun_, sent_)}, {"kernel", cuda::elapsed_ms(cleared_, counted_)}};
  }

private:
  void count(const uchar4* pixels, std::size_t width, std::size_t height) {
    const auto run = [&](const auto& weight) {
      launch(step_, multiprocessors_,
             Frame{pixels, static_cast<std::uint32_t>(width), static_cast<std::uint32_t>(width * height), weight,
                   sums_.data()},
             stream_);
    };
    if (const SkinPlane* f = std::get_if<SkinPlane>(&classifier_); f != nullptr && is_steep(*f))
      run(SteepPlaneWeight{{f->r, f->g, f->b, f->d}});
    else if (f != nullptr)
      run(PlaneWeight{
          {static_cast<float>(f->r), static_cast<float>(f->g), static_cast<float>(f->b), static_cast<float>(f->d)}});
    else
      run(TableWeight{table_.data()});
  }

  int step_;
  unsigned multiprocessors_ = 1;
  Classifier classifier_ = SkinPlane{};
  cuda::Buffer<std::uint8_t> table_;
  cuda::Buffer<uchar4> pixels_;
  cuda::PinnedBuffer<uchar4> pixels_host_;
  cuda::Buffer<FrameSums> sums_;
  cuda::PinnedBuffer<FrameSums> sums_host_;
  cuda::Event begun_, sent_, cleared_, counted_, done_;
  cuda::Stream stream_;
};

}  // namespace

std::unique_ptr<GpuStepMoments> make_gpu_step(int step) { return std::make_unique<GpuStep>(step); }

}  // namespace kinema::head
