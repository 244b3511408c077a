#include "io/face_network.h"

namespace kinema::io {

std::vector<OscMessage> face_osc(std::int64_t frame, const std::vector<face::Estimate>& faces) {
  std::vector<OscMessage> messages;
  for (const face::Estimate& face : faces) {
    if (!face.found) continue;
    OscMessage message("/kinema/face");
    message.whole(static_cast<std::int32_t>(frame)).whole(static_cast<std::int32_t>(messages.size()));
    message.number(face.confidence);
    for (float number : face.landmarks) message.number(number);
    messages.push_back(std::move(message));
  }
  if (messages.empty()) messages.push_back(OscMessage("/kinema/face/lost").whole(static_cast<std::int32_t>(frame)));
  return messages;
}

}  // namespace kinema::io
