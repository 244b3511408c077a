// Boxes of the head, a line per frame.
#include "fuzz.h"
#include "io/faces/head_table.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kinema;
  const std::string_view bytes = fuzz::text_of(data, size);
  const fuzz::MemoryFile file(bytes);
  fuzz::expect_result_or_error([&] { io::read_boxes(file.path()); });
  return 0;
}
