// Where the detector looks for somebody who is lost, with a detector that sees what OpenCV's do: faces of a twelfth of the
// picture's shorter side and of 24 pixels, at least.
#include "person/face_search.h"

#include "person/constants.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace kinema::person {
namespace {

// A grey picture with one bright square, and a detector of bright squares.
struct Scene {
  Scene(std::size_t columns, std::size_t rows) : width(columns), height(rows), pixels(columns * rows, 50) {}

  void show(std::size_t x, std::size_t y, std::size_t side) {
    std::fill(pixels.begin(), pixels.end(), 50);
    for (std::size_t v = y; v < y + side; ++v) {
      for (std::size_t u = x; u < x + side; ++u) pixels[v * width + u] = 200;
    }
  }
  face::GreyView view() const { return {pixels.data(), width, height, width}; }

  std::size_t width, height;
  std::vector<std::uint8_t> pixels;
};

std::vector<face::Start::Box> squares(const face::GreyView& image) {
  std::size_t left = image.width, top = image.height, right = 0, bottom = 0;
  for (std::size_t y = 0; y < image.height; ++y) {
    for (std::size_t x = 0; x < image.width; ++x) {
      if (image.data[y * image.stride + x] < 200) continue;
      left = std::min(left, x), right = std::max(right, x + 1);
      top = std::min(top, y), bottom = std::max(bottom, y + 1);
    }
  }
  const std::size_t least = std::max<std::size_t>(24, std::min(image.width, image.height) / 12);
  if (right < left + least || right - left != bottom - top) return {};
  face::Start::Box box;
  box.x = static_cast<float>(left), box.y = static_cast<float>(top);
  box.width = box.height = static_cast<float>(right - left);
  return {box};
}

// Seconds until the box was found, and until it was steady, at 30 frames per second.
std::pair<double, double> seconds_until(FaceSearch& search, const Scene& scene) {
  double found = -1;
  for (int frame = 0; frame < 60; ++frame) {
    const double time = frame / 30.0;
    const bool seen = !search.look(scene.view(), time).empty();
    if (seen && found < 0) found = time;
    if (search.steady(time)) return {found, time};
  }
  return {99, 99};
}

TEST(FaceSearch, FindsASmallFaceAnywhereInHalfASecond) {
  for (const auto& [width, height] : {std::pair<std::size_t, std::size_t>{640, 480}, {1280, 720}, {320, 240}}) {
    Scene scene(width, height);
    for (const double across : {0.0, 0.24, 0.48, 0.5, 0.52, 0.77, 1.0}) {
      for (const double down : {0.0, 0.49, 0.74, 1.0}) {
        // the box about a face of 30 pixels is a third wider
        scene.show(static_cast<std::size_t>(across * static_cast<double>(width - 39)),
                   static_cast<std::size_t>(down * static_cast<double>(height - 39)), 39);
        FaceSearch search(squares);
        const auto [found, steady] = seconds_until(search, scene);
        EXPECT_LE(steady, 0.5) << width << ": " << across << ", " << down;
        const double x = across * static_cast<double>(width - 39), y = down * static_cast<double>(height - 39);
        const auto box = search.look_about(scene.view(), {x, y, 30, 30}, 3);
        ASSERT_EQ(box.size(), 1u);
        EXPECT_NEAR(static_cast<double>(box[0].x), x, 1) << "in pixels of the picture";
      }
    }
  }
}

TEST(FaceSearch, FollowsAFaceThatRuns) {
  Scene scene(640, 480);
  FaceSearch search(squares);
  double steady = 99;
  for (int frame = 0; frame < 15 && steady > 9; ++frame) {
    scene.show(static_cast<std::size_t>(100 + 10 * frame), 200, 39);  // 300 pixels per second
    search.look(scene.view(), frame / 30.0);
    if (const auto oval = search.steady(frame / 30.0)) {
      steady = frame / 30.0;
      EXPECT_NEAR(oval->cx, 100 + 10 * frame + 19, 1);
    }
  }
  EXPECT_LE(steady, 0.5);
}

TEST(FaceSearch, WhatIsSeenOnceIsNotSteady) {
  Scene scene(320, 240), empty(320, 240);
  FaceSearch search(squares);
  int places = 0;
  for (int frame = 0; frame < 60; ++frame) {
    const double time = frame / 30.0;
    // for two frames each here and there
    scene.show(static_cast<std::size_t>(60 * (frame / 4 % 4)), 100, 30);
    places += !search.look(frame % 4 < 2 ? scene.view() : empty.view(), time).empty();
    EXPECT_FALSE(search.steady(time));
  }
  EXPECT_GT(places, 0);
}

TEST(FaceSearch, LooksAtOnceAfterARestartAndNotInEveryFrame) {
  const Scene empty(320, 240);
  int calls = 0;
  FaceSearch search([&](const face::GreyView& image) {
    ++calls;
    return squares(image);
  });
  for (int frame = 0; frame < 3; ++frame) search.look(empty.view(), frame / 30.0);
  EXPECT_EQ(calls, 1);
  search.restart();
  search.look(empty.view(), 0.1);
  EXPECT_EQ(calls, 2);
  EXPECT_TRUE(FaceSearch({}).look(empty.view(), 0).empty()) << "without a detector";
}

}  // namespace
}  // namespace kinema::person
