#include "io/head_network.h"

#include "io/avatar_frame.h"

namespace kinema::io {

std::vector<OscMessage> head_osc(const std::optional<Vec3>& position, double score) {
  if (!position) return {OscMessage("/kinema/head/lost")};
  return {OscMessage("/kinema/head").number(position->x).number(position->y).number(position->z).number(score)};
}

void HeadSender::send(double unix_time, const std::optional<Vec3>& position, double score) const {
  sender_.osc(unix_time, head_osc(position, score));
  if (!position) return;
  sender_.opentrack(unix_time, *position);
  const Vec3 at = avatar_place(*position);
  // a device of its own, since there is no rotation for the bone of the head
  const double device[] = {at.x, at.y, at.z, 0, 0, 0, 1};
  sender_.vmc(unix_time, std::vector{OscMessage("/VMC/Ext/Hmd/Pos").text("kinema").numbers(device)});
  const double place[] = {at.x, at.y, at.z};
  sender_.vrchat(std::vector{OscMessage("/tracking/trackers/head/position").numbers(place)});
}

}  // namespace kinema::io
