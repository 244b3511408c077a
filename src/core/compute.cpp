#include "kinema/compute.h"

#include "core/cuda/device.h"
#include "kinema/error.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <utility>

namespace kinema {

std::vector<int> parse_devices(std::string_view text) {
  std::vector<int> devices;
  if (text == "all") {
    for (const Gpu& gpu : gpus()) devices.push_back(gpu.index);
    return devices;
  }
  for (std::string_view rest = text;;) {
    const std::string_view word = rest.substr(0, rest.find(','));
    int device = -1;
    const auto [end, problem] = std::from_chars(word.data(), word.data() + word.size(), device);
    if (problem != std::errc() || end != word.data() + word.size() || device < 0)
      throw Error(fmt::format("there are no devices '{}': give all, or numbers of GPUs such as 0,2", text));
    devices.push_back(device);
    if (word.size() == rest.size()) return devices;
    rest.remove_prefix(word.size() + 1);
  }
}

void check_devices(const std::vector<int>& devices, Backend backend) {
  for (int device : devices) {
    if (device < 0) throw Error(fmt::format("there is no device {}: their numbers begin at 0", device));
  }
  if (backend != Backend::cuda) return;
  std::vector<int> here;
  for (const Gpu& gpu : gpus()) here.push_back(gpu.index);
  for (int device : devices) {
    if (std::find(here.begin(), here.end(), device) == here.end())
      throw Error(fmt::format("there is no GPU {}: this machine has {}", device,
                              here.empty() ? "none" : fmt::format("{}", fmt::join(here, ", "))));
  }
}

Compute choose(const Compute& wanted) {
  if (wanted.threads < 0) throw Error(fmt::format("threads is {}; give 0 for one per core, or more", wanted.threads));
  Compute chosen = wanted;
  chosen.backend = choose(wanted.backend);
  check_devices(chosen.devices, chosen.backend);
  return chosen;
}

DeviceLosses::DeviceLosses(std::function<void(const std::string&)> report) : report_(std::move(report)) {}

bool DeviceLosses::lost(std::size_t at) const {
  const std::lock_guard lock(mutex_);
  return lost_.count(at) > 0;
}

void DeviceLosses::add(std::size_t at, const std::string& line) {
  const std::lock_guard lock(mutex_);
  if (lost_.insert(at).second && report_) report_(line);
}

std::size_t DeviceLosses::count() const {
  const std::lock_guard lock(mutex_);
  return lost_.size();
}

}  // namespace kinema
