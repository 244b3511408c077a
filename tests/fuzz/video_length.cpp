// How long a video says that it is.
#include "fuzz.h"
#include "io/pictures/video_capture.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kinema;
  const std::string_view bytes = fuzz::text_of(data, size);
  fuzz::expect_result_or_error([&] { io::declared_asf_bytes(bytes); });
  return 0;
}
