// skeleton.json; what was read is written and read again.
#include "fuzz.h"
#include "io/motion/skeleton_json.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kinema;
  const std::string_view bytes = fuzz::text_of(data, size);
  const fuzz::MemoryFile file(bytes);
  fuzz::expect_result_or_error([&] {
    const body::Skeleton skeleton = io::read_skeleton(file.path());
    const std::string text = io::skeleton_json(skeleton);
    fuzz::require(io::skeleton_json(io::read_skeleton(fuzz::MemoryFile(text).path())) == text);
  });
  return 0;
}
