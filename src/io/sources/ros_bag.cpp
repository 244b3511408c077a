#include "io/sources/openers.h"

#include "io/cameras/source_camera.h"
#include "io/files/input_file.h"
#include "io/pictures/video_capture.h"
#include "io/sources/ros_messages.h"
#include "kinema/error.h"

#include <console_bridge/console.h>
#include <fmt/format.h>
#include <rosbag/bag.h>
#include <rosbag/view.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

namespace kinema::io {
namespace {

// Far above any image; the library allocates what a message claims.
constexpr std::uint32_t largest_message = 1U << 28;

struct BagName {
  std::string file, topic;  // no topic: the only one that would do
};

BagName parsed(const std::string& word) {
  const std::size_t colon = word.rfind(".bag:/");
  if (colon == std::string::npos) return {word, ""};
  return {word.substr(0, colon + 4), word.substr(colon + 5)};
}

// The bytes of a message.
std::string bytes_of(const rosbag::MessageInstance& message) {
  const std::uint32_t size = message.size();
  if (size > largest_message) throw Error(fmt::format("holds a message of {} bytes", size));
  std::string bytes(size, '\0');
  ros::serialization::OStream stream(reinterpret_cast<std::uint8_t*>(bytes.data()), size);
  message.write(stream);
  return bytes;
}

RosImage image_of(const rosbag::MessageInstance& message, std::string_view bytes) {
  return message.getDataType() == "sensor_msgs/CompressedImage" ? ros_compressed_image(bytes) : ros_image(bytes);
}

// How many folders of two topics are the same: the image and the CameraInfo of a camera lie side by side.
std::size_t common_folders(std::string_view one, std::string_view other) {
  std::size_t folders = 0;
  for (std::size_t i = 0; i < std::min(one.size(), other.size()) && one[i] == other[i]; ++i) folders += one[i] == '/';
  return folders;
}

std::string list_of(const std::set<std::string>& topics) {
  std::string text;
  for (const std::string& topic : topics) text += (text.empty() ? "" : ", ") + printable(topic);
  return text;
}

auto of_topic(std::string topic) {
  return [topic = std::move(topic)](const rosbag::ConnectionInfo* connection) { return connection->topic == topic; };
}

class RosBag final : public RawSource {
public:
  RosBag(const std::string& word, const RecordingSettings& settings, SourceUse use) : name_(parsed(word)) {
    format_.name = name_.file;
    console_bridge::noOutputHandler();  // an Error reports each failure once
    guarded([&] {
      { const InputFile exists(name_.file); }
      bag_.open(name_.file, rosbag::bagmode::Read);
      list_topics();
      choose(settings, use);
      describe(settings);
      view_ = std::make_unique<rosbag::View>(bag_, [this](const rosbag::ConnectionInfo* connection) {
        return connection->topic == depth_ || connection->topic == colour_;
      });
      next_ = view_->begin();
    });
  }

  Got read(RawFrame& frame, std::chrono::milliseconds) override {
    Got got = Got::end;
    guarded([&] {
      for (; next_ != view_->end() && got == Got::end; ++next_) {
        const bool wanted = next_->getTopic() == main_topic();
        if (!wanted) {
          picture_ = bytes_of(*next_);
          picture_compressed_ = next_->getDataType() == "sensor_msgs/CompressedImage";
          continue;
        }
        fill(frame, *next_);
        got = Got::frame;
      }
    });
    return got;
  }

private:
  const std::string& main_topic() const { return depth_.empty() ? colour_ : depth_; }

  template <class Work>
  void guarded(Work&& work) const {
    try {
      work();
    } catch (const Error& error) {
      const std::string text = error.what();
      throw text.starts_with(name_.file) ? error : about(name_.file, error);
    } catch (const rosbag::BagUnindexedException&) {
      throw about(name_.file, Error("has no index, since it was not closed: run rosbag reindex on it"));
    } catch (const std::exception& error) {
      throw about(name_.file, Error(fmt::format("cannot be read: {}", one_line(error.what()))));
    }
  }

  // Images are told apart by the encoding of their first message.
  void list_topics() {
    rosbag::View all(bag_);
    for (const rosbag::ConnectionInfo* connection : all.getConnections()) {
      if (connection->datatype == "sensor_msgs/CameraInfo") cameras_.insert(connection->topic);
      if (connection->datatype != "sensor_msgs/Image" && connection->datatype != "sensor_msgs/CompressedImage")
        continue;
      rosbag::View messages(bag_, of_topic(connection->topic));
      if (messages.begin() == messages.end()) continue;
      const std::string bytes = bytes_of(*messages.begin());
      const RosImage image = image_of(*messages.begin(), bytes);
      if (image.holds_depth()) depths_.insert(connection->topic);
      if (image.holds_colour()) colours_.insert(connection->topic);
    }
  }

  void choose(const RecordingSettings& settings, SourceUse use) {
    const bool has_depth = name_.topic.empty() ? !depths_.empty() : depths_.contains(name_.topic);
    const bool wants_depth = use == SourceUse::body || (use == SourceUse::any && has_depth);
    if (wants_depth) {
      depth_ = chosen(depths_, "depth");
      // a picture beside depth is welcome, where it is clear which
      if (settings.colour && colours_.size() == 1) colour_ = *colours_.begin();
    } else {
      colour_ = chosen(colours_, "colour");
    }
    format_.pictures = !colour_.empty();
  }

  std::string chosen(const std::set<std::string>& topics, const char* what) const {
    if (!name_.topic.empty()) {
      if (topics.contains(name_.topic)) return name_.topic;
      throw Error(fmt::format("has no images of {} on {}; it has them on: {}", what, printable(name_.topic),
                              topics.empty() ? "none" : list_of(topics)));
    }
    if (topics.empty()) {
      throw Error(fmt::format("has no images of {} (sensor_msgs/Image or CompressedImage)", what));
    }
    if (topics.size() > 1) {
      throw Error(fmt::format("has images of {} on several topics; name one, as in {}:{}: {}", what, name_.file,
                              *topics.begin(), list_of(topics)));
    }
    return *topics.begin();
  }

  std::optional<RosCamera> camera_beside(const std::string& topic) {
    const auto best = std::max_element(cameras_.begin(), cameras_.end(), [&](const auto& one, const auto& other) {
      return common_folders(one, topic) < common_folders(other, topic);
    });
    if (best == cameras_.end()) return std::nullopt;
    rosbag::View messages(bag_, of_topic(*best));
    if (messages.begin() == messages.end()) return std::nullopt;
    return ros_camera(bytes_of(*messages.begin()));
  }

  void describe(const RecordingSettings& settings) {
    rosbag::View messages(bag_, of_topic(main_topic()));
    format_.size = messages.size();
    const std::string bytes = bytes_of(*messages.begin());
    const RosImage first = image_of(*messages.begin(), bytes);
    CameraFile& file = format_.camera.file;
    if (depth_.empty()) {
      const Picture picture = ros_picture(first);
      format_.content = RawFormat::Content::colour;
      file.camera.width = picture.width;
      file.camera.height = picture.height;
      file.fps = settings.fps;
    } else {
      RawFrame frame;
      describe_depth(read_ros_depth(first, frame), settings);
    }
    const double seconds = (messages.getEndTime() - messages.getBeginTime()).toSec();
    if (!(file.fps > 0)) {
      file.fps = *format_.size > 1 && seconds > 0 ? static_cast<double>(*format_.size - 1) / seconds : usual_fps;
    }
  }

  void describe_depth(ImageSize size, const RecordingSettings& settings) {
    CameraSearch search;
    search.frames = name_.file;
    search.timed = false;  // frames have their time
    search.size_of_frames = [size] { return size; };
    if (settings.camera_files.empty()) {
      const std::optional<RosCamera> camera = camera_beside(depth_);
      if (!camera) throw Error("has no sensor_msgs/CameraInfo: name a camera.json with --camera-file");
      search.stated = depth_.find("rect") != std::string::npos ? camera->rectified : camera->raw;
    }
    format_.camera = find_camera(search, settings);
    const Camera& camera = format_.camera.file.camera;
    if (camera.width != size.width || camera.height != size.height) {
      throw Error(fmt::format("{} has images of {} x {} pixels, and their camera {} x {}", printable(depth_),
                              size.width, size.height, camera.width, camera.height));
    }
  }

  void fill(RawFrame& frame, const rosbag::MessageInstance& message) {
    const std::string bytes = bytes_of(message);
    const RosImage image = image_of(message, bytes);
    // differences of whole nanoseconds: seconds since 1970 leave too few digits
    if (!first_stamp_) first_stamp_ = image.stamp;
    frame.time = static_cast<double>(image.stamp - *first_stamp_) / 1e9;
    if (depth_.empty()) {
      frame.colour = ros_picture(image);
      return;
    }
    const CameraFile& file = format_.camera.file;
    const ImageSize size = read_ros_depth(image, frame);
    const bool fits = size.width == file.camera.width && size.height == file.camera.height;
    // a lens's distortion is removed from units; an image of another size becomes a gap
    if (!frame.metres.empty() && (!fits || !file.distortion.empty())) {
      frame.depth = units_of(frame.metres, size.width, size.height, file.depth_scale);
      frame.metres.clear();
    }
    if (!picture_.empty()) frame.colour = last_picture();
  }

  // Depth can do without a picture that is damaged.
  Picture last_picture() const {
    try {
      return ros_picture(picture_compressed_ ? ros_compressed_image(picture_) : ros_image(picture_));
    } catch (const Error&) {
      return {};
    }
  }

  BagName name_;
  rosbag::Bag bag_;
  std::set<std::string> depths_, colours_, cameras_;  // topics
  std::string depth_, colour_;                        // those that are read
  std::unique_ptr<rosbag::View> view_;
  rosbag::View::iterator next_;
  std::string picture_;  // the last message of colour beside depth
  bool picture_compressed_ = false;
  std::optional<std::int64_t> first_stamp_;
};

}  // namespace

bool ros_bag_built_in() { return true; }

RawOpener ros_bag_opener(const std::string& word, const RecordingSettings& settings, SourceUse use) {
  return [word, settings, use] { return std::make_unique<RosBag>(word, settings, use); };
}

}  // namespace kinema::io
