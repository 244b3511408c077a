// layout.json of a set of landmarks.
#include "fuzz.h"
#include "io/faces/layout_json.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kinema;
  const std::string_view bytes = fuzz::text_of(data, size);
  const fuzz::MemoryFile file(bytes);
  fuzz::expect_result_or_error([&] { io::read_layout(file.path(), 7); });
  return 0;
}
