#include "bench/face/facemark.h"
#include "kinema/error.h"

namespace kinema::bench {

std::string facemark_version() { return ""; }

std::unique_ptr<Facemark> train_facemark(const std::vector<DrawnFace>&, int, int) {
  throw Error("OpenCV's module face is not built in");
}

}  // namespace kinema::bench
