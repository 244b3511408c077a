// The sizes that headers of pictures state.
#include "fuzz.h"
#include "io/pictures/image_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kinema;
  fuzz::expect_result_or_error([&] { io::check_picture(fuzz::text_of(data, size)); });
  return 0;
}
