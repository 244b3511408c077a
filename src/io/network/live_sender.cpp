#include "io/network/live_sender.h"

#include <bit>
#include <cstdint>

namespace kinema::io {

std::vector<std::byte> opentrack_packet(const Vec3& position, const std::array<double, 3>& yaw_pitch_roll,
                                        std::optional<double> unix_time) {
  std::vector<double> values = {-100 * position.x, -100 * position.y, 100 * position.z};
  values.insert(values.end(), yaw_pitch_roll.begin(), yaw_pitch_roll.end());
  if (unix_time) values.push_back(*unix_time);
  std::vector<std::byte> bytes;
  for (double value : values) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    for (int shift = 0; shift < 64; shift += 8) bytes.push_back(static_cast<std::byte>(bits >> shift));
  }
  return bytes;
}

LiveSender::LiveSender(const LiveTargets& targets) : opentrack_time_(targets.opentrack_time) {
  if (!targets.osc.empty()) osc_.emplace(targets.osc);
  if (!targets.opentrack.empty()) opentrack_.emplace(targets.opentrack);
  if (!targets.vmc.empty()) vmc_.emplace(targets.vmc);
  if (!targets.vrchat.empty()) vrchat_.emplace(targets.vrchat);
}

void LiveSender::osc(double unix_time, std::span<const OscMessage> messages) const {
  if (!osc_) return;
  for (const auto& bundle : osc_bundles(unix_time, messages)) osc_->send(bundle);
}

void LiveSender::opentrack(double unix_time, const Vec3& position, const std::array<double, 3>& yaw_pitch_roll) const {
  if (!opentrack_) return;
  opentrack_->send(
      opentrack_packet(position, yaw_pitch_roll, opentrack_time_ ? std::optional(unix_time) : std::nullopt));
}

void LiveSender::vmc(double unix_time, std::span<const OscMessage> messages) const {
  if (!vmc_) return;
  for (const auto& bundle : osc_bundles(unix_time, messages)) vmc_->send(bundle);
}

void LiveSender::vrchat(std::span<const OscMessage> messages) const {
  if (!vrchat_) return;
  // one by one: VRChat's description names messages, not bundles
  for (const OscMessage& message : messages) vrchat_->send(message.bytes());
}

}  // namespace kinema::io
