// In place of the cuda backend where it is not linked in: a shared library opens the module beside it when it is first asked for,
// a static one has none.
#include "gpu/module.h"
#include "io/files/library_place.h"
#include "kinema/error.h"

namespace kinema {
namespace {

const gpu::Module& module() {
#ifdef KINEMA_HAVE_CUDA_MODULE
  static const gpu::Module opened = gpu::open_module(io::library_file().parent_path(), KINEMA_VERSION);
#else
  static const gpu::Module opened{nullptr,
                                  "the cuda backend is not built in: use --backend cpu, or build with a CUDA toolkit"};
#endif
  return opened;
}

const gpu::Functions& functions() {
  if (module().functions == nullptr) throw Error(module().problem);
  return *module().functions;
}

}  // namespace

namespace cuda {

std::vector<Gpu> devices() { return module().functions == nullptr ? std::vector<Gpu>() : functions().devices(); }
std::string why_no_device() { return module().functions == nullptr ? module().problem : functions().why_no_device(); }
void use_device(int device, const std::vector<int>& others) { functions().use_device(device, others); }
int device_in_use() { return functions().device_in_use(); }
std::string toolkit() { return module().functions == nullptr ? std::string() : functions().toolkit(); }

}  // namespace cuda

std::optional<int> gpu_of(const void* address) {
  return module().functions == nullptr ? std::nullopt : functions().gpu_of(address);
}

void wait_for_gpu(int index) { functions().wait_for_gpu(index); }

std::unique_ptr<body::Likelihood> body::make_cuda_likelihood(const LikelihoodSettings& settings) {
  return functions().make_likelihood(settings);
}

std::unique_ptr<body::Particles> body::make_particles_cuda(const Skeleton& skeleton, const TrackerSettings& settings,
                                                           const std::vector<int>& others) {
  return functions().make_particles(skeleton, settings, others);
}

std::unique_ptr<head::Moments> head::make_cuda_moments(const MomentsSettings& settings, int threads) {
  return functions().make_moments(settings, threads);
}

std::unique_ptr<face::Fitter> face::make_cuda_fitter(std::shared_ptr<const Model> model, const FitSettings& settings,
                                                     int threads) {
  return functions().make_fitter(std::move(model), settings, threads);
}

std::unique_ptr<stereo::Matcher> stereo::make_cuda_matcher(const Plan& plan, const Window& whole,
                                                           double focal_baseline) {
  return functions().make_matcher(plan, whole, focal_baseline);
}

}  // namespace kinema
