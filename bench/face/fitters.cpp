#include "bench/face/fitters.h"

#include "bench/face/fitter_listing.h"
#include "kinema/error.h"

#include <utility>

namespace kinema::bench {

std::unique_ptr<face::Fitter> make_fitter(std::string_view name, std::shared_ptr<const face::Model> model,
                                          const face::FitSettings& settings, Compute compute) {
  if (name == "listing") return make_listing_fitter(std::move(model), settings);
  if (name == "paper" || name == "paper in parts") {
    choose(Backend::cuda);  // throws, with the reason, if there is no device
#ifdef KINEMA_HAVE_CUDA
    return face::make_paper_fitter(std::move(model), settings, name != "paper");
#endif
  }
  compute.backend = parse_backend(name);
  return face::make_fitter(std::move(model), settings, compute);
}

}  // namespace kinema::bench
