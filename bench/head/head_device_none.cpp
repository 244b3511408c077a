// Replaces head_device_cuda.cu in builds without CUDA.
#include "bench/head/head_device.h"

#include "kinema/error.h"

namespace kinema::bench {
namespace {

[[noreturn]] void refuse() { throw Error("CUDA is not built in: there is no GPU to measure"); }

}  // namespace

struct DeviceFloor::State {};

PlacedFrame on_device(const HeadFrame&) { refuse(); }
PlacedFrame pinned(const HeadFrame&) { refuse(); }
DeviceFloor::DeviceFloor() { refuse(); }
DeviceFloor::~DeviceFloor() = default;
double DeviceFloor::transfer(const std::uint8_t*, std::size_t) { refuse(); }
double DeviceFloor::read(std::span<const ColourView>, std::size_t) { refuse(); }

}  // namespace kinema::bench
