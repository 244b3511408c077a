// Point clouds as PCD, compressed ones included.
#include "fuzz.h"
#include "io/recordings/cloud.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kinema;
  const std::string_view bytes = fuzz::text_of(data, size);
  fuzz::expect_result_or_error([&] {
    const io::Cloud cloud = io::read_pcd(bytes);
    fuzz::require(cloud.points.size() % 3 == 0);
  });
  return 0;
}
