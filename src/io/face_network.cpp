#include "io/face_network.h"

#include "io/pose_network.h"

#include <fmt/format.h>

namespace kinema::io {

std::vector<OscMessage> face_osc(std::int64_t frame, const std::vector<face::Estimate>& faces) {
  std::vector<OscMessage> messages;
  std::int32_t number = 0;
  for (const face::Estimate& face : faces) {
    if (!face.found) continue;
    OscMessage message("/kinema/face");
    message.whole(static_cast<std::int32_t>(frame)).whole(number);
    message.number(face.confidence);
    for (const float coordinate : face.landmarks) message.number(coordinate);
    messages.push_back(std::move(message));
    ++number;
    if (!face.head) continue;
    for (OscMessage& part : pose_osc(fmt::format("/kinema/face/{}", number - 1), *face.head)) {
      messages.push_back(std::move(part));
    }
  }
  if (messages.empty()) messages.push_back(OscMessage("/kinema/face/lost").whole(static_cast<std::int32_t>(frame)));
  return messages;
}

}  // namespace kinema::io
