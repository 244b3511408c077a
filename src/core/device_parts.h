// The devices that share a computation: a worker thread for each, and what is left when one of them fails.
#pragma once

#include "core/device_failure.h"
#include "core/threads.h"
#include "core/worker.h"
#include "kinema/compute.h"

#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace kinema {

/// One T per device, made, called and destroyed in the device's own thread.
template <class T>
class DeviceParts {
public:
  /// Called in the part's thread: where it is a GPU's, it makes it current.
  using Make = std::function<std::unique_ptr<T>(int device)>;

  /// `losses` may be null: a device that fails is then an error.
  DeviceParts(std::vector<int> devices, std::shared_ptr<DeviceLosses> losses)
      : devices_(std::move(devices)), losses_(std::move(losses)) {
    for (std::size_t at = 0; at < devices_.size(); ++at) {
      if (losses_ && losses_->lost(at)) continue;
      auto part = std::make_unique<Part>(at, usable_cores() > static_cast<int>(devices_.size()) + 1);
      parts_.push_back(std::move(part));
    }
    if (parts_.empty()) throw DeviceFailure("every device has failed: nothing is left to compute with");
  }

  int count() const { return static_cast<int>(parts_.size()); }
  T& operator[](int part) const { return *parts_[static_cast<std::size_t>(part)]->made; }

  /// Whether a device that fails may be left out.
  bool recovers() const { return losses_ != nullptr; }

  void make(const Make& make) {
    for (const auto& part : parts_) {
      part->worker.post([&part = *part, make, device = devices_[part->at]] {
        part.made.reset();
        part.made = make(device);
      });
    }
  }

  /// Posts a call for every part. The call may outlive the arguments of the caller: it holds copies, or is waited for.
  template <class Call>
  void each(const Call& call) {
    for (int p = 0; p < count(); ++p) {
      Part& part = *parts_[static_cast<std::size_t>(p)];
      part.worker.post([&part, call, p] { call(*part.made, p); });
    }
  }

  /// Until all calls are done. Throws what a part has thrown, that of a device first. Where devices may be left out,
  /// those that failed are, and false is returned: the calls must then be made again, beginning with make().
  bool wait() {
    std::exception_ptr failure, interrupted;
    std::vector<std::pair<std::size_t, std::string>> failed;
    for (auto& part : parts_) {
      const std::exception_ptr own = part->worker.wait();
      if (!own) continue;
      try {
        std::rethrow_exception(own);
      } catch (const DeviceFailure& error) {
        failed.emplace_back(part->at, error.what());
      } catch (const Error&) {
        if (!failure) failure = own;
      } catch (...) {
        if (!interrupted) interrupted = own;
      }
    }
    if (failed.empty()) {
      if (failure) std::rethrow_exception(failure);
      if (interrupted) std::rethrow_exception(interrupted);
      return true;
    }
    const std::size_t left = parts_.size() - failed.size();
    if (!losses_ || left == 0) throw DeviceFailure(failed.front().second);
    for (const auto& [at, message] : failed) {
      std::erase_if(parts_, [at = at](const auto& part) { return part->at == at; });
      losses_->add(at, message + "; the others take its part (" + std::to_string(left) + " left)");
    }
    return false;
  }

private:
  struct Part {
    std::size_t at;  // among the devices
    std::unique_ptr<T> made = nullptr;
    Worker worker;  // last: it uses the other members

    Part(std::size_t place, bool spins) : at(place), worker(std::chrono::microseconds(spins ? 50 : 0)) {}
    ~Part() {
      // what a failed device still holds is given back in its own thread too
      worker.post([this] { made.reset(); });
      worker.wait();
    }
  };

  std::vector<int> devices_;
  std::shared_ptr<DeviceLosses> losses_;
  std::vector<std::unique_ptr<Part>> parts_;
};

}  // namespace kinema
