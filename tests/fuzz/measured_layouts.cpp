// Layouts of matrix–vector products that an earlier run kept.
#include "bench/face/product/layout_file.h"
#include "fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kinema;
  // what is read is written and read again as it was
  const std::vector<MeasuredLayout> layouts = parse_layouts(fuzz::text_of(data, size));
  fuzz::require(parse_layouts(layouts_text(layouts)) == layouts);
  return 0;
}
