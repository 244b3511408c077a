// For machines without such an instruction; the loops in moments_cpu_plane.cpp do all the work.
#include "head/moments/plane_strip.h"

namespace kinema::head {

bool plane_strips_work() { return false; }

void add_plane_strips(const PlaneOfBytes& /*plane*/, const std::uint8_t* /*data*/, std::size_t /*stride*/,
                      std::size_t /*pixel_bytes*/, std::size_t /*width*/, std::size_t /*height*/,
                      std::uint32_t* /*columns*/, std::uint64_t* /*rows*/) {}

}  // namespace kinema::head
