// Messages of a bag of ROS: the first byte says which.
#include "fuzz.h"
#include "io/sources/ros_messages.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kinema;
  const std::string_view bytes = fuzz::text_of(data, size);
  if (bytes.empty()) return 0;
  const std::string_view message = bytes.substr(1);
  fuzz::expect_result_or_error([&] {
    if (bytes[0] == 'c') {
      const io::RosCamera camera = io::ros_camera(message);
      fuzz::require(camera.width > 0 && camera.height > 0);
      return;
    }
    const io::RosImage image = bytes[0] == 'z' ? io::ros_compressed_image(message) : io::ros_image(message);
    if (image.holds_colour()) io::ros_picture(image);
    io::RawFrame frame;
    const io::ImageSize read = io::read_ros_depth(image, frame);
    const auto pixels = static_cast<std::size_t>(read.width) * static_cast<std::size_t>(read.height);
    fuzz::require(frame.depth.units.size() + frame.metres.size() == pixels);
  });
  return 0;
}
