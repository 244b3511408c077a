#include "bench/face/face_device.h"
#include "kinema/error.h"

namespace kinema::bench {

DevicePicture on_device(const DrawnFace&) { throw Error("there is no GPU: CUDA is not built in"); }

}  // namespace kinema::bench
