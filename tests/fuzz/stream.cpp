// Frames from another program, in two pieces.
#include "fuzz.h"
#include "io/sources/stream_format.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kinema;
  const std::string_view bytes = fuzz::text_of(data, size);
  fuzz::expect_result_or_error([&] {
    io::StreamParser parser;
    for (const std::string_view piece : {bytes.substr(0, size / 2), bytes.substr(size / 2)}) {
      parser.add(piece);
      while (const auto frame = parser.next()) {
        const std::size_t pixels = parser.header()->frame_bytes();
        fuzz::require(frame->depth.units.size() * 2 <= pixels && frame->metres.size() * 4 <= pixels);
      }
    }
  });
  return 0;
}
