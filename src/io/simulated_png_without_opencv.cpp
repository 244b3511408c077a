#include "io/simulated_png.h"
#include "kinema/error.h"

namespace kinema::io {
namespace {

[[noreturn]] void refuse() {
  throw Error("pictures cannot be written: this build has no OpenCV; install it and build again, or use --mode points");
}

}  // namespace

std::string png_of_depth(ImageView<const std::uint16_t>) { refuse(); }
std::string png_of_picture(const Picture&) { refuse(); }

}  // namespace kinema::io
