#include "bench/body/body_implementations.h"

#include "bench/body/likelihood_embree.h"
#include "bench/body/likelihood_listing.h"
#include "bench/machine.h"

#ifdef KINEMA_HAVE_CUDA
#include "bench/body/likelihood_paper.h"
#endif

#include <iterator>

namespace kinema::bench {
namespace {

using body::Association;
using body::LikelihoodSettings;

constexpr const char* all_backends[] = {"listing", "embree", "reference", "cpu", "paper", "cuda"};

// Empty if the backend can run here, otherwise the reason.
std::string obstacle(const std::string& backend) {
  if (backend == "embree") return embree_version().empty() ? "Embree 3 is not built in" : "";
  if (backend != "paper" && backend != "cuda") return "";
  return no_gpu_reason();
}

#ifdef KINEMA_HAVE_CUDA
Implementation paper(int points_per_block) {
  return {"paper",
          Association::nearest,
          false,
          1,
          points_per_block,
          [points_per_block](const LikelihoodSettings& settings) {
            return body::make_paper_likelihood(settings, {points_per_block});
          }};
}
#endif

void add(const std::string& backend, std::size_t threads, std::vector<Implementation>& all) {
  const int count = static_cast<int>(threads);
  const auto library = [count](Backend which) {
    return [which, count](const LikelihoodSettings& settings) {
      return body::make_likelihood(settings, {which, count});
    };
  };
  if (backend == "listing") {
    all.push_back({backend, Association::nearest, true, 1, 0, make_listing_likelihood});
  } else if (backend == "embree") {
    all.push_back({backend, Association::first_hit, true, threads, 0,
                   [count](const LikelihoodSettings& settings) { return make_embree_likelihood(settings, count); }});
  } else if (backend == "reference") {
    all.push_back({backend, Association::nearest, true, 1, 0, library(Backend::reference)});
  } else if (backend == "cpu" || backend == "cuda") {
    const Backend which = backend == "cpu" ? Backend::cpu : Backend::cuda;
    all.push_back({backend, Association::nearest, false, 1, 0, library(which)});
    all.push_back({backend, Association::first_hit, false, 1, 0, library(which)});
#ifdef KINEMA_HAVE_CUDA
  } else if (backend == "paper") {
    all.push_back(paper(body::PaperDivision().points_per_block));
#endif
  }
}

}  // namespace

std::vector<std::string> body_backends() { return {std::begin(all_backends), std::end(all_backends)}; }

std::vector<Implementation> body_implementations(const std::vector<std::string>& names, std::size_t threads) {
  check_names("backend", names, all_backends, obstacle);
  std::vector<Implementation> implementations;
  for (const char* backend : all_backends)
    if (wanted(names, backend) && obstacle(backend).empty()) add(backend, threads, implementations);
  return implementations;
}

std::vector<Implementation> variants_of([[maybe_unused]] const Implementation& implementation) {
  std::vector<Implementation> variants;
#ifdef KINEMA_HAVE_CUDA
  if (implementation.backend == "paper")
    for (const int points_per_block : body::paper_blocks) variants.push_back(paper(points_per_block));
#endif
  return variants;
}

}  // namespace kinema::bench
