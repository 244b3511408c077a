// filter.json; what was read is written and read again.
#include "fuzz.h"
#include "io/faces/filter_json.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kinema;
  const std::string_view bytes = fuzz::text_of(data, size);
  fuzz::expect_result_or_error([&] {
    const std::string text = io::filter_json(io::parse_filter(bytes));
    fuzz::require(io::filter_json(io::parse_filter(text)) == text);
  });
  return 0;
}
