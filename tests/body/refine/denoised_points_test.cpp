// Noise of far points, and its neighbours' mean.
#include "body/refine/denoised_points.h"
#include "core/random.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace kinema::body {
namespace {

constexpr double focal = 525, noise = 0.0015;

// What a camera sees of upright boards at a distance, pixel by pixel, with noise in the inverse depth.
struct Board {
  double left, right, distance;
};
struct Scan {
  std::vector<float> xyz;
  std::vector<std::uint8_t> background;
  std::vector<double> truth;  // depths

  PointsView view() const { return {xyz.data(), background.size(), background}; }

  void add(const Board& board, std::uint8_t mark = 0) {
    const double step = board.distance / focal;
    for (double y = -0.5; y < 0.5; y += step) {
      for (double x = board.left; x < board.right; x += step) {
        const Philox p = philox(7, static_cast<std::uint32_t>(background.size()), 0, 0, 0);
        const double normal = normal_quantile(uniform_open(p.word[0], p.word[1]));
        const double z = 1 / (1 / board.distance + noise * normal);
        for (const double c : {x / board.distance * z, y / board.distance * z, z}) xyz.push_back(static_cast<float>(c));
        background.push_back(mark);
        truth.push_back(board.distance);
      }
    }
  }

  double deviation_of(PointsView points) const {
    double squares = 0, count = 0;
    for (std::size_t i = 0; i < truth.size(); ++i) {
      if (background[i] != 0) continue;
      const double away = points.xyz[3 * i + 2] - truth[i];
      squares += away * away;
      ++count;
    }
    return std::sqrt(squares / count);
  }
};

TEST(DenoisedPoints, FarPointsAreAsQuietAsIsStated) {
  for (const double distance : {4.5, 6.0, 8.0}) {
    Scan scan;
    scan.add({-0.2, 0.2, distance});
    DenoisedPoints denoised;
    denoised.set(scan.view(), noise, distance);
    const double before = noise * distance * distance;
    EXPECT_NEAR(scan.deviation_of(scan.view()), before, 0.1 * before);
    EXPECT_LT(denoised.noise().deviation, 0.6 * before);
    EXPECT_LT(denoised.noise().deviation, 0.024);  // the rim has fewer neighbours
    EXPECT_NEAR(scan.deviation_of(denoised.view()), denoised.noise().deviation, 0.15 * denoised.noise().deviation);
  }
}

TEST(DenoisedPoints, PointsStayOnTheirRays) {
  Scan scan;
  scan.add({-0.2, 0.2, 6});
  DenoisedPoints denoised;
  denoised.set(scan.view(), noise, 6);
  const float *before = scan.xyz.data(), *after = denoised.view().xyz;
  for (std::size_t i = 0; i < scan.truth.size(); ++i) {
    const float *b = before + 3 * i, *a = after + 3 * i;
    EXPECT_NEAR(a[0] / a[2], b[0] / b[2], 1e-6);
    EXPECT_NEAR(a[1] / a[2], b[1] / b[2], 1e-6);
  }
}

TEST(DenoisedPoints, NearPointsAreLeftAlone) {
  Scan scan;
  scan.add({-0.2, 0.2, 3});
  DenoisedPoints denoised;
  denoised.set(scan.view(), noise, 3);
  EXPECT_EQ(denoised.view().xyz, scan.xyz.data());
  EXPECT_DOUBLE_EQ(denoised.noise().deviation, noise * 9);
}

TEST(DenoisedPoints, WhatStandsFarBehindIsAnotherThing) {
  Scan scan;
  scan.add({-0.2, 0, 6});
  scan.add({0, 0.2, 7});
  DenoisedPoints denoised;
  denoised.set(scan.view(), noise, 6);
  EXPECT_LT(scan.deviation_of(denoised.view()), 0.035);  // a metre apart, mixed it would be ten times that
}

TEST(DenoisedPoints, RaysPastThePersonKeepTheirEnds) {
  Scan scan;
  scan.add({-0.2, 0.2, 6});
  scan.add({-0.4, 0.4, 6.1}, 1);
  DenoisedPoints denoised;
  denoised.set(scan.view(), noise, 6);
  ASSERT_EQ(denoised.view().size, scan.truth.size());
  for (std::size_t i = 0; i < scan.truth.size(); ++i) {
    if (scan.background[i] == 0) continue;
    ASSERT_EQ(denoised.view().xyz[3 * i + 2], scan.xyz[3 * i + 2]) << i;
  }
}

TEST(DenoisedPoints, CornerClouds) {
  const float infinity = std::numeric_limits<float>::infinity();
  DenoisedPoints denoised;
  denoised.set({}, noise, 6);
  EXPECT_EQ(denoised.view().size, 0u);
  // nobody's numbers among two points, one of them nowhere near
  const std::vector<float> xyz{NAN, 0, 6, 0, 0, 6, 0, 0, 0, 0, 0, -6, infinity, 0, 6, 0, 0, infinity, 0.01f, 0, 6};
  denoised.set({xyz.data(), xyz.size() / 3, {}}, noise, 6);
  EXPECT_EQ(denoised.view().size, xyz.size() / 3);
  EXPECT_NEAR(denoised.view().xyz[5], 6, 1e-5);
  const std::vector<float> apart{-1e6f, 0, 6, 1e6f, 0, 6};
  denoised.set({apart.data(), 2, {}}, noise, 6);
  EXPECT_EQ(denoised.view().xyz, apart.data());
}

}  // namespace
}  // namespace kinema::body
