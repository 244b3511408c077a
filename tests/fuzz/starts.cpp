// Lines of start.jsonl.
#include "fuzz.h"
#include "io/faces/landmark_output.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kinema;
  const std::string_view bytes = fuzz::text_of(data, size);
  const fuzz::MemoryFile file(bytes);
  fuzz::expect_result_or_error([&] { io::Starts(file.path(), 3); });
  return 0;
}
