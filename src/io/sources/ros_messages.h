// The messages of ROS 1 that hold images, from their serialised bytes: sensor_msgs/Image, CompressedImage and
// CameraInfo. Numbers are little-endian; a string or an array is its length and its elements.
#pragma once

#include "io/cameras/source_camera.h"
#include "io/pictures/image_file.h"
#include "io/sources/raw_source.h"
#include "kinema/camera.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kinema::io {

/// An image whose pixels are still those of the message, which must outlive it.
struct RosImage {
  std::int64_t stamp = 0;  ///< nanoseconds
  int width = 0, height = 0;
  std::string encoding;  ///< "16UC1", "rgb8"; of a compressed one its format, "16UC1; compressedDepth png"
  bool compressed = false;
  bool big_endian = false;
  std::size_t step = 0;  ///< bytes per row
  std::string_view data;

  bool holds_depth() const;
  bool holds_colour() const;
};

/// Throw Error, without a file's name, if the bytes are no such message.
RosImage ros_image(std::string_view message);
RosImage ros_compressed_image(std::string_view message);

/// Pixels of depth into `frame`, as units or metres, and their size. Throws Error if the encoding is none of depth.
ImageSize read_ros_depth(const RosImage& image, RawFrame& frame);
Picture ros_picture(const RosImage& image);

struct RosCamera {
  int width = 0, height = 0;  ///< of the images, after binning and cutting
  CameraFile raw, rectified;  ///< of images as taken (with distortion), and of rectified ones
};

/// Throws Error, without a file's name, if the bytes are no CameraInfo, or its lens is none that kinema knows.
RosCamera ros_camera(std::string_view message);

}  // namespace kinema::io
