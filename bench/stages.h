// Times by stage, as backends report them.
#pragma once

#include "kinema/stage_time.h"
#include "report/report.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kinema::bench {

inline std::optional<double> stage_ms(const std::vector<StageTime>& stages, std::string_view wanted) {
  for (const StageTime& time : stages)
    if (time.stage == wanted) return time.ms;
  return std::nullopt;
}

/// "weigh 3 ms, refine 1.2 ms"
inline std::string stages_text(const std::vector<StageTime>& stages) {
  std::string text;
  for (const StageTime& time : stages)
    text += (text.empty() ? "" : ", ") + time.stage + " " + report::with_unit(time.ms, report::Unit::milliseconds);
  return text;
}

}  // namespace kinema::bench
