// Several GPUs in one process: their numbers, and what happens when one of them fails.
#pragma once

#include "kinema/backend.h"

#include <cstddef>
#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace kinema {

/// The GPUs of "all" or "0,2": their numbers, one several times if it is to have several parts of the work. Throws Error
/// if the text is neither. "all" of a machine without a GPU is none.
std::vector<int> parse_devices(std::string_view text);

/// Throws Error if a backend, a result of choose(), does not have all these devices. The cpu backend has any: a device
/// is then a part of its work, which gains nothing but shows that results do not depend on the number of parts.
void check_devices(const std::vector<int>& devices, Backend backend);

/// Devices that failed in the middle of a run (out of memory, lost) while the others took over their parts. Shared by
/// all trackers of the run, so that a failure is reported once. Thread-safe.
class DeviceLosses {
public:
  /// `report` gets one line for each device that fails.
  explicit DeviceLosses(std::function<void(const std::string& line)> report);

  /// Whether devices[at] has failed.
  bool lost(std::size_t at) const;
  void add(std::size_t at, const std::string& line);
  std::size_t count() const;

private:
  mutable std::mutex mutex_;
  std::function<void(const std::string&)> report_;
  std::set<std::size_t> lost_;
};

}  // namespace kinema
