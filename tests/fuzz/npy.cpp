// NumPy arrays: points and masks of any length.
#include "io/files/npy.h"
#include "fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kinema;
  const std::string_view bytes = fuzz::text_of(data, size);
  const fuzz::MemoryFile file(bytes);
  fuzz::expect_result_or_error([&] { io::read_npy<float>(file.path(), {io::any_size, 3}); });
  fuzz::expect_result_or_error([&] { io::read_npy<std::uint8_t>(file.path(), {io::any_size}); });
  return 0;
}
