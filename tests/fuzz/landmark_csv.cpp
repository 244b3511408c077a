// Landmarks as a table.
#include "fuzz.h"
#include "io/faces/landmark_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kinema;
  const std::string_view bytes = fuzz::text_of(data, size);
  fuzz::expect_result_or_error([&] { io::read_landmark_csv(bytes, 0); });
  return 0;
}
