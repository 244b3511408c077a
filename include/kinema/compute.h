// How something is computed: where, by how many threads, on which GPUs, and what happens when one of them fails.
#pragma once

#include "kinema/backend.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <utility>
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

/// The last argument of what makes trackers, fitters, sums and likelihoods. A backend alone converts to it. Results depend
/// on the backend only.
struct Compute {
  Compute(Backend where = Backend::automatic, int thread_count = 0, std::vector<int> gpus = {},
          std::shared_ptr<DeviceLosses> failures = nullptr)
      : backend(where), threads(thread_count), devices(std::move(gpus)), losses(std::move(failures)) {}

  Backend backend;

  int threads;  ///< of the CPU; 0: one per core

  /// The GPUs of the cuda backend that share the work, in equal parts: samples, the weighing of particles, the frames or faces of a batch;
  /// empty: the first. One may be named several times, which gains nothing but tries the division. See check_devices().
  std::vector<int> devices;

  /// If a device fails during the work, the others take over its part, and this reports it; where none is left and the
  /// backend is automatic, the CPU goes on with faces. Null: a failure is an error.
  std::shared_ptr<DeviceLosses> losses;
};

/// The same with the backend that choose() gives. Throws Error if that one is not available or does not have the devices,
/// or the number of threads is below 0.
Compute choose(const Compute& wanted);

}  // namespace kinema
