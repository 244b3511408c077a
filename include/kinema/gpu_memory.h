// Arrays of other libraries in the memory of a GPU: whose memory it is, and when it may be read.
#pragma once

#include <optional>

namespace kinema {

/// The GPU in whose memory an address lies; nothing for memory of the host, and where there is no GPU.
std::optional<int> gpu_of(const void* address);

/// Returns once a GPU has done all that this process has asked of it, other libraries included: to be called before a
/// frame is tracked that one of them computes. Throws Error if the work failed.
void wait_for_gpu(int index);

}  // namespace kinema
