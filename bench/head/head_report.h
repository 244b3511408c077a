// The results of `kinema bench head`, and their forms: JSON for programs, a report page.
#pragma once

#include "bench/machine.h"
#include "bench/stages.h"
#include "bench/statistics.h"
#include "kinema/stage_time.h"
#include "report/report.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kinema::bench {

/// One way to measure a frame.
struct HeadRow {
  /// "paper": table 1; "kernels": of its steps and ours, alone, on frames of two sizes; "cpu"; "gpu"; "other": programs to
  /// compare with; "floor"
  std::string table;
  std::string name;                   ///< unique within the report
  std::string backend;                ///< of moments_names(), or another program's
  std::string format;                 ///< of the pixels
  std::string classifier;             ///< "plane" or "table"; empty if there is none
  std::string picture;                ///< "camera" or "noise"
  std::string place;                  ///< of the frame: "host", "pinned", "device"
  int threads = 0;                    ///< of the CPU; 0: none that matter
  std::size_t frames = 1;             ///< of one call; all times are of one frame
  std::size_t width = 0, height = 0;  ///< 0: as the report's

  std::size_t repeats = 0;
  Spread ms;                      ///< wall clock around the call
  std::vector<StageTime> stages;  ///< medians reported by the backend

  /// Table 1, by one clock: the mean of `mean_of` calls, and of the median what is not the transfer.
  std::optional<double> mean_ms, calculation_ms;
  std::size_t mean_of = 0;
  std::optional<double> speedup_cpu1;
  std::optional<double> cpu_share;  ///< of the rows, where CPU and GPU divide a frame; 0 to 1

  /// The row of the floor, and the ratio of this row's time to it: by wall clock, and by the device's clock.
  std::string floor;
  std::optional<double> over_floor, over_floor_device;

  /// Relative to the reference: pixels, and share of the frame.
  std::optional<double> centroid_error, area_error;

  std::optional<double> stage(std::string_view wanted) const { return stage_ms(stages, wanted); }
  double frames_per_second() const { return ms.median > 0 ? 1000 / ms.median : 0; }
};

struct HeadReport : RunReport {
  std::size_t width = 0, height = 0;
  std::vector<HeadRow> rows;

  std::vector<const HeadRow*> table(std::string_view name) const;
  const HeadRow* find(std::string_view name) const;
};

/// Fills calculations, speed-ups and ratios to the floor.
void compare_rows(HeadReport& report);

std::string head_json(const HeadReport& report);
report::Report head_page(const HeadReport& report);

}  // namespace kinema::bench
