// Appearance models. The length and the checksum in the header are put right first: they would keep all but one
// mutation in four billion from the reader behind them.
#include "fuzz.h"
#include "io/faces/face_model_file.h"
#include "io/files/checksum.h"

#include <cstring>
#include <span>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kinema;
  const std::string_view bytes = fuzz::text_of(data, size);
  fuzz::expect_result_or_error([&] { io::read_face_model(fuzz::MemoryFile(bytes).path()); });
  if (size < 32) return 0;
  std::string sealed(bytes);
  const std::uint64_t length = size;
  std::memcpy(sealed.data() + 16, &length, sizeof(length));
  const std::uint32_t checksum = io::crc32(std::as_bytes(std::span(sealed)).subspan(16));
  std::memcpy(sealed.data() + 12, &checksum, sizeof(checksum));
  const fuzz::MemoryFile file(sealed);
  fuzz::expect_result_or_error([&] { io::read_face_model(file.path()); });
  fuzz::expect_result_or_error([&] { io::list_face_model(file.path()); });
  return 0;
}
