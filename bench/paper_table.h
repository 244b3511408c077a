// Table 1 of the head paper: milliseconds per frame of 1920 x 1080 on a laptop of 2015 (Core i5-2450M, GeForce GT
// 630M), for comparison with this machine.
#pragma once

#include <optional>
#include <string_view>

namespace kinema::bench {

struct PaperTime {
  std::string_view name;
  double transfer_ms, calculation_ms;
};

inline constexpr PaperTime paper_times[] = {{"gpu1", 2.05, 131.34}, {"gpu2", 2.05, 38.59}, {"gpu3", 2.05, 23.19},
                                            {"gpu4", 2.05, 9.68},   {"gpu5", 2.05, 3.81},  {"gpu6", 2.05, 3.36},
                                            {"gpu7", 2.05, 3.06},   {"gpu8", 2.05, 2.94},  {"cpu1", 0, 36.74},
                                            {"cpu2", 0, 23.12},     {"cpu3", 0, 12.34},    {"cpu+gpu", 1.54, 2.12}};

inline std::optional<double> paper_total(std::string_view name) {
  for (const PaperTime& time : paper_times)
    if (time.name == name) return time.transfer_ms + time.calculation_ms;
  return std::nullopt;
}

}  // namespace kinema::bench
