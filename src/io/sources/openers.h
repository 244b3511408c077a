// The openers of all sources that --input names by a scheme or a container, one .cpp each in this folder. source_schemes.cpp
// tries them in turn.
#pragma once

#include "io/files/input_file.h"
#include "io/sources/raw_source.h"
#include "io/sources/source_schemes.h"

#include <optional>
#include <string>
#include <vector>

namespace kinema::io {

// Frames that another program sends, in the framing of io/sources/stream_format.h: on standard input ("-"), or to a socket of
// this machine at which kinema listens ("unix:PATH", "tcp:PORT").

bool names_stream(const std::string& word);

/// Throws Error if the word is not an address, or the socket cannot be opened.
RawOpener stream_opener(const std::string& word, const RecordingSettings& settings, SourceUse use);

// A colour camera of this machine: "camera:0", "/dev/video0" or "0". Needs OpenCV.

/// The number in the word; nothing if it names something else.
std::optional<int> camera_number(const std::string& word);

RawOpener camera_opener(int number, double fps);

std::vector<Connected> connected_cameras();

// Stereo pairs and colour from what OpenCV opens live: "stereo:0" is one camera that delivers both pictures side by side,
// "stereo:0,1" are two cameras, left and right; an address such as rtsp://, udp:// or http:// is a stream of pictures,
// side by side for the body. Needs OpenCV.

bool names_stereo_camera(const std::string& word);
bool names_network_video(const std::string& word);

/// Pairs for the body, colour otherwise. The camera of pairs comes from `settings`.
RawOpener capture_opener(const std::string& word, const RecordingSettings& settings, SourceUse use);

// Raw 16-bit depth of a kernel driver, as RealSense cameras give it: "v4l2:/dev/video2". The intrinsics and the unit of
// depth come from --camera-file, since drivers do not tell them.

bool names_v4l2(const std::string& word);

RawOpener v4l2_opener(const std::string& word, const RecordingSettings& settings);

/// Devices that offer depth.
std::vector<Connected> connected_v4l2();

// Depth cameras through OpenNI 2, and its recordings: "openni:" is the first device, "openni:1" the second, "openni:URI"
// any; "FILE.oni" is a recording. Without OpenNI 2 all but the names throw.

bool openni_built_in();

inline bool names_openni(const std::string& word) {
  return word.starts_with("openni:") || extension_of(word) == ".oni";
}

RawOpener openni_opener(const std::string& word, const RecordingSettings& settings, SourceUse use);

std::vector<Connected> connected_openni();

// Bags of ROS 1 with images of depth or colour, read through rosbag's own library (librosbag-storage). A word is the
// file's name, followed by a colon and the topic if the bag has several that would do: walk.bag:/camera/depth/image.

bool ros_bag_built_in();

inline bool names_ros_bag(const std::string& word) {
  return word.ends_with(".bag") || word.find(".bag:/") != word.npos;
}

RawOpener ros_bag_opener(const std::string& word, const RecordingSettings& settings, SourceUse use);

// Recordings of Azure Kinect and its like (Orbbec Femto): .mkv with a track of depth and an attached calibration, read
// through FFmpeg's libavformat. Without it they are videos as others.

bool azure_kinect_built_in();

/// A .mkv with an attachment calibration.json. False for all others, and for files that cannot be read.
bool is_azure_kinect_file(const std::string& path);

RawOpener azure_kinect_opener(const std::string& path, const RecordingSettings& settings, SourceUse use);

}  // namespace kinema::io
