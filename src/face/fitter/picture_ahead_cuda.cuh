// The picture of the next frame of a film, copied to the device while this one is fitted (section 5.1 of the paper): its copy
// in pinned memory is the host's work meanwhile, the rest that of a second stream.
#pragma once

#include "core/cuda/buffer.h"
#include "kinema/face.h"

#include <algorithm>
#include <optional>

namespace kinema::face {

class PictureAhead {
public:
  /// See Fitter::expect().
  void expect(const Face& next) { next_ = next.on_device ? GreyView() : next.image; }

  /// Called while the device works on another picture.
  void copy() {
    if (next_.data == nullptr) return;
    which_ = 1 - which_;
    Slot& slot = slots_[which_];
    slot.host.reserve(next_.width * next_.height);
    slot.device.reserve(next_.width * next_.height);
    for (std::size_t y = 0; y < next_.height; ++y)
      std::copy_n(next_.data + y * next_.stride, next_.width, slot.host.data() + y * next_.width);
    cuda::check(cudaMemcpyAsync(slot.device.data(), slot.host.data(), next_.width * next_.height,
                                cudaMemcpyHostToDevice, stream_),
                "uploading an image");
    copied_.record(stream_);
    slot.of = next_;
    next_ = {};
  }

  /// The picture on the device, if it was copied: `stream` then waits for it.
  std::optional<GreyView> take(const GreyView& image, cudaStream_t stream) {
    Slot& slot = slots_[which_];
    const GreyView of = slot.of;
    slot.of = {};
    if (of.data == nullptr || of.data != image.data || of.width != image.width || of.height != image.height ||
        of.stride != image.stride)
      return std::nullopt;
    cuda::check(cudaStreamWaitEvent(stream, copied_, 0), "waiting for an image");
    return GreyView{slot.device.data(), image.width, image.height, image.width};
  }

private:
  struct Slot {
    cuda::PinnedBuffer<std::uint8_t> host;
    cuda::Buffer<std::uint8_t> device;
    GreyView of;
  };
  GreyView next_;
  Slot slots_[2];
  int which_ = 0;
  cuda::Event copied_{cudaEventDisableTiming};
  cuda::Stream stream_;
};

}  // namespace kinema::face
