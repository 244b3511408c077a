// Messages with arrays of the live page; what was decoded is encoded and decoded again.
#include "serve/messages/message.h"
#include "fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kinema;
  const std::string_view bytes = fuzz::text_of(data, size);
  fuzz::expect_result_or_error([&] {
    const serve::Message message = serve::decode(bytes);
    for (const serve::ArrayPart& part : message.arrays) {
      std::size_t expected = serve::bytes_of(part.type);
      for (std::size_t length : part.shape) expected *= length;
      fuzz::require(part.bytes.size() == expected);
    }
  });
  return 0;
}
