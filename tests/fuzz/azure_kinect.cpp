// The calibration in a recording of Azure Kinect.
#include "fuzz.h"
#include "io/cameras/camera_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kinema;
  const std::string_view bytes = fuzz::text_of(data, size);
  fuzz::expect_result_or_error([&] { io::azure_kinect_depth_camera(bytes, 640, 576); });
  return 0;
}
