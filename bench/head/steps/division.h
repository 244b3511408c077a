// Eq. 8: how a frame is divided between CPU and GPU so that both finish at the same time. The times of a whole frame
// are extrapolated from the measured parts, and smoothed. The CPU begins late: first it has to start the GPU.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace kinema::head {

class Division {
public:
  /// Rows of `rows` for the CPU: all, none, or enough of them to be worth starting.
  std::size_t host_rows(std::size_t rows) const {
    const auto part = static_cast<std::size_t>(std::llround(host_share() * static_cast<double>(rows)));
    if (part < fewest_rows) return 0;
    return rows - part < fewest_rows ? rows : part;
  }

  /// Eq. 8a, T_G / (T_C + T_G), for a CPU that begins `late`: late + share T_C = (1 - share) T_G.
  double host_share() const {
    if (!device_.known || !host_.known) return 0.5;
    return std::clamp((device_.ms - late_ms_) / (host_.ms + device_.ms), 0.0, 1.0);
  }

  /// The times of the parts of a frame, that of the CPU without its wait of `late_ms`. A processor without rows is assumed
  /// to have become slightly faster, so that it is tried again eventually.
  void learn(std::size_t host_rows, double host_ms, std::size_t device_rows, double device_ms, double late_ms = 0) {
    const auto rows = static_cast<double>(host_rows + device_rows);
    late_ms_ += 0.2 * (std::min(late_ms, device_ms) - late_ms_);
    host_.learn(static_cast<double>(host_rows) / rows, host_ms);
    device_.learn(static_cast<double>(device_rows) / rows, device_ms);
  }

private:
  static constexpr std::size_t fewest_rows = 8;

  struct Speed {
    double ms = 0;  // of a whole frame
    bool known = false;

    void learn(double share, double part_ms) {
      if (share == 0) {
        ms *= 0.98;
        return;
      }
      if (!(part_ms > 0)) return;
      const double whole = part_ms / share;
      // one frame in which the machine was otherwise busy must not upset the division
      ms = known ? ms + 0.2 * (std::min(whole, 2 * ms) - ms) : whole;
      known = true;
    }
  };
  Speed host_, device_;
  double late_ms_ = 0;
};

}  // namespace kinema::head
