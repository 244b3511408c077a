// camera.json, for each of its uses.
#include "fuzz.h"
#include "io/cameras/camera_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kinema;
  const std::string_view bytes = fuzz::text_of(data, size);
  const fuzz::MemoryFile file(bytes);
  for (io::CameraUse use : {io::CameraUse::depth, io::CameraUse::stereo, io::CameraUse::clouds}) {
    fuzz::expect_result_or_error([&] { io::read_camera_json(file.path(), use); });
  }
  return 0;
}
