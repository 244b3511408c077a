// BVH motion files.
#include "io/motion/bvh.h"
#include "fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kinema;
  const std::string_view bytes = fuzz::text_of(data, size);
  fuzz::expect_result_or_error([&] {
    const io::Bvh bvh = io::parse_bvh(bytes);
    fuzz::require(bvh.values.size() == bvh.frames * bvh.channels);
    io::bvh_rest(bvh);
    if (bvh.frames > 0) io::bvh_places(bvh, 0.5);
    io::guess_metres_per_unit(bvh);
  });
  return 0;
}
