// Models of drawn faces, and fits of them on a backend held against the reference.
#pragma once

#include "bench/face/face_problem.h"
#include "bench/face/fitters.h"
#include "kinema/error.h"
#include "kinema/face.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

namespace kinema::face {

inline constexpr std::uint64_t drawn_seed = 5;

/// Trained once for all tests.
inline std::shared_ptr<const Model> drawn_model(Features features, bool resampled, std::uint32_t modes = 30,
                                                std::uint32_t pixels = 3000) {
  static const std::vector<bench::DrawnFace> faces = bench::draw_faces(drawn_seed, 36);
  static std::map<std::tuple<Features, bool, std::uint32_t, std::uint32_t>, std::shared_ptr<const Model>> models;
  auto& model = models[{features, resampled, modes, pixels}];
  if (!model) {
    bench::FaceModelSettings settings;
    settings.pixels = pixels;
    settings.modes = modes;
    settings.features = features;
    settings.resampled = resampled;
    settings.project_out = true;
    settings.seed = drawn_seed;
    model = bench::make_face_model(faces, settings);
  }
  return model;
}

/// A face that no model has seen; some hang over the border.
inline bench::DrawnFace unseen_face(std::uint32_t number) {
  bench::DrawSettings settings;
  if (number % 4 == 1) settings.x = 0.1;
  if (number % 4 == 3) settings.y = 0.93;
  return bench::draw_face(drawn_seed, 500 + number, settings);
}

inline Face face_of(const bench::DrawnFace& drawn, std::uint32_t number) {
  return {drawn.view(), bench::displaced_start(drawn, drawn_seed, number), false};
}

inline double farthest(const std::vector<float>& a, const std::vector<float>& b) {
  if (a.size() != b.size()) return HUGE_VAL;
  double most = 0;
  for (std::size_t i = 0; i < a.size(); i += 2) {
    const double distance = std::hypot(double{a[i]} - b[i], double{a[i + 1]} - b[i + 1]);
    if (!(distance <= most)) most = std::isfinite(distance) ? distance : HUGE_VAL;
  }
  return most;
}

/// Suites that run on each backend; those on a GPU skip themselves where there is none.
class FitterOn : public testing::TestWithParam<std::string> {
protected:
  void SetUp() override {
    const bool on_host = GetParam() == "cpu" || GetParam() == "listing";
    if (!on_host && !available(Backend::cuda)) GTEST_SKIP() << "no GPU";
  }
  std::unique_ptr<Fitter> fitter(const std::shared_ptr<const Model>& model, const FitSettings& settings,
                                 const Compute& compute = {}) const {
    return bench::make_fitter(GetParam(), model, settings, compute);
  }
};

inline std::string backend_of(const testing::TestParamInfo<std::string>& info) { return info.param; }

}  // namespace kinema::face
