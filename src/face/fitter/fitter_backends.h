// What the backends of face::Fitter share: their factories, and checks of their input.
#pragma once

#include "core/threads.h"
#include "kinema/face.h"

#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace kinema::face {

std::unique_ptr<Fitter> make_reference_fitter(std::shared_ptr<const Model> model, const FitSettings& settings);
std::unique_ptr<Fitter> make_cpu_fitter(std::shared_ptr<const Model> model, const FitSettings& settings, int threads);
std::unique_ptr<Fitter> make_cuda_fitter(std::shared_ptr<const Model> model, const FitSettings& settings, int threads);

/// Divides the faces of a batch among compute.devices. `make_part` gives the fitter of a device, in the device's own
/// thread.
using MakePart = std::function<std::unique_ptr<Fitter>(int device)>;
std::unique_ptr<Fitter> make_devices_fitter(const Compute& compute, const MakePart& make_part);

/// The device's fitter until it fails, which is reported to compute.losses, and then the host's. Faces that were finished
/// are kept, those of the same call included where it has very many.
using MakeFitter = std::function<std::unique_ptr<Fitter>()>;
std::unique_ptr<Fitter> make_fallback_fitter(const Compute& compute, const MakeFitter& make_device,
                                             const MakeFitter& make_host);

/// The stages of a fit: those of the settings, or the model's. Throws Error if the model lacks what a stage needs.
std::vector<Stage> stages_of(const Model& model, const FitSettings& settings);

/// For backends that run all stages in one place.
std::vector<PlacedStage> placed_on(Backend backend, const std::vector<Stage>& stages);

/// Throws Error if an image has no pixels, or lies on a device and this backend runs on the host, or is a colour frame and this
/// fitter takes none.
void check_face(const Face& face, bool device_allowed, bool colour_allowed = false);

/// Quality, failure and confidences of a fit with landmarks and error.
void score(const Model& model, const GreyView& image, Fit& fit, const Threads* threads = nullptr);

}  // namespace kinema::face
