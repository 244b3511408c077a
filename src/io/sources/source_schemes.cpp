#include "io/sources/source_schemes.h"

#include "io/sources/openers.h"
#include "kinema/backend.h"
#include "kinema/error.h"

#include <fmt/format.h>

namespace kinema::io {

bool names_live_source(const std::string& word) {
  return names_stream(word) || names_stereo_camera(word) || names_network_video(word) || names_v4l2(word) ||
         word.starts_with("openni:") || camera_number(word);
}

std::vector<Scheme> schemes() {
  const std::string opencv = build().opencv ? "" : "libopencv-dev";
  std::vector<Scheme> all;
  all.push_back({"-", "frames on standard input, from any program (docs/stream.md)", true, true, "", {}});
  all.push_back({"unix:PATH, tcp:PORT", "the same from a program that connects to this machine", true, true, "", {}});
  all.push_back({"camera:N", "a colour camera, /dev/videoN", false, true, opencv, connected_cameras()});
  all.push_back({"openni:[N], FILE.oni", "a depth camera of OpenNI 2 (Astra, Xtion, Kinect), or its recording", true,
                 true, openni_built_in() ? "" : "libopenni2-dev", connected_openni()});
  all.push_back({"v4l2:/dev/videoN", "16-bit depth of a kernel driver, as of RealSense (with --camera-file)", true,
                 false, "", connected_v4l2()});
  all.push_back({"stereo:N, stereo:N,M",
                 "pairs of one camera side by side, or of two cameras (with --camera-file)",
                 true,
                 false,
                 opencv,
                 {}});
  all.push_back({"rtsp://... udp://...",
                 "video of the network; for the body pairs side by side (with --camera-file)",
                 true,
                 true,
                 opencv,
                 {}});
  all.push_back({"FILE.mkv",
                 "a recording of Azure Kinect or Femto",
                 true,
                 true,
                 azure_kinect_built_in() ? "" : "libavformat-dev",
                 {}});
  all.push_back({"FILE.bag[:/TOPIC]",
                 "images of depth or colour in a bag of ROS 1",
                 true,
                 true,
                 ros_bag_built_in() ? "" : "librosbag-storage-dev",
                 {}});
  return all;
}

std::optional<RawOpener> source_opener(const std::string& word, const RecordingSettings& settings, SourceUse use) {
  if (use == SourceUse::raw_pairs && !names_stereo_camera(word) && !names_network_video(word)) return std::nullopt;
  if (names_stream(word)) return stream_opener(word, settings, use);
  if (is_azure_kinect_file(word)) return azure_kinect_opener(word, settings, use);
  if (names_ros_bag(word)) return ros_bag_opener(word, settings, use);
  if (names_stereo_camera(word) || names_network_video(word)) return capture_opener(word, settings, use);
  if (names_v4l2(word)) {
    if (use == SourceUse::colour) throw Error(fmt::format("{}: is depth; head and face need colour", word));
    return v4l2_opener(word, settings);
  }
  if (names_openni(word)) return openni_opener(word, settings, use);
  if (use != SourceUse::body || word.starts_with("camera:")) {
    const std::optional<int> number = camera_number(word);
    if (number && use == SourceUse::body) {
      throw Error(fmt::format("{}: is a colour camera, and the body needs depth: see kinema cameras", word));
    }
    if (number) return camera_opener(*number, settings.fps);
  }
  return std::nullopt;
}

}  // namespace kinema::io
