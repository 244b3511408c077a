#include "bench/head/steps/steps.h"

#include "bench/head/steps/moments_joint.h"
#include "bench/machine.h"
#include "core/threads.h"
#include "head/moments/moments_backends.h"
#include "kinema/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

namespace kinema {

void head::check_unweighed(const Weighing& weighing, std::string_view step) {
  if (weighing.window || weighing.mask.data != nullptr || weighing.bottom != SIZE_MAX)
    throw Error(fmt::format("{} is a step of the paper and takes whole frames only; weigh with cpu or cuda", step));
}

namespace bench {
namespace {

constexpr std::string_view cpu_steps[] = {"cpu1", "cpu2", "cpu3"};
constexpr std::string_view gpu_steps[] = {"gpu1", "gpu2", "gpu3", "gpu4", "gpu5", "gpu6", "gpu7", "gpu8"};

// 0: it is none of these.
int step_of(std::string_view name, std::span<const std::string_view> steps) {
  const auto found = std::find(steps.begin(), steps.end(), name);
  return found == steps.end() ? 0 : static_cast<int>(found - steps.begin()) + 1;
}

#ifdef KINEMA_HAVE_CUDA
std::unique_ptr<head::Moments> make_on_gpu(std::string_view name, const head::MomentsSettings& settings, int threads) {
  if (const int step = step_of(name, gpu_steps)) return head::make_gpu_step(step);
  std::vector<std::unique_ptr<head::Moments>> host;
  if (name == "cpu+gpu") {
    host.push_back(head::make_cpu_step(3, threads));
    return std::make_unique<head::JointMoments>(head::make_gpu_step(8), std::move(host));
  }
  const int workers = std::min(Threads(threads).count(), head::JointMoments::most_workers);
  for (int i = 0; i < workers; ++i) host.push_back(head::make_cpu_moments(1));
  return std::make_unique<head::JointMoments>(head::make_cuda_device_moments(settings, threads), std::move(host));
}
#endif

}  // namespace

std::unique_ptr<head::Moments> make_moments(std::string_view name, const head::MomentsSettings& settings,
                                            Compute compute) {
  const int cpu_step = step_of(name, cpu_steps);
  const bool on_gpu = step_of(name, gpu_steps) != 0 || name == "cpu+gpu" || name == "joint";
  compute.backend = cpu_step != 0 ? Backend::reference : on_gpu ? Backend::cuda : parse_backend(name);
  // for a step too: checks the settings, and that there is a device
  std::unique_ptr<head::Moments> moments = head::make_moments(settings, compute);
  if (cpu_step != 0) return head::make_cpu_step(cpu_step, compute.threads);
#ifdef KINEMA_HAVE_CUDA
  if (on_gpu) return make_on_gpu(name, settings, compute.threads);
#endif
  return moments;
}

bool is_paper_step(std::string_view name) {
  return step_of(name, cpu_steps) != 0 || step_of(name, gpu_steps) != 0 || name == "cpu+gpu";
}

std::vector<std::string_view> moments_names() {
  std::vector<std::string_view> names = {"reference", "cpu"};
  names.insert(names.end(), std::begin(cpu_steps), std::end(cpu_steps));
  if (no_gpu_reason().empty()) {
    names.insert(names.end(), {"cuda", "joint"});
    names.insert(names.end(), std::begin(gpu_steps), std::end(gpu_steps));
    names.emplace_back("cpu+gpu");
  }
  return names;
}

}  // namespace bench
}  // namespace kinema
