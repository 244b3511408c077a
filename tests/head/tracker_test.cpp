// The head tracker on a synthetic head whose place is known.
#include "kinema/head_tracker.h"

#include "kinema/error.h"
#include "kinema/source.h"
#include "synth/head_clip.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

namespace kinema::head {
namespace {

using synth::HeadClip;
using synth::HeadTruth;

struct Frame {
  io::Picture picture;
  ColourView view() const {
    const auto width = static_cast<std::size_t>(picture.width);
    return {picture.bgr.data(), width, static_cast<std::size_t>(picture.height), 3 * width, PixelFormat::bgr};
  }
};

Oval oval_of(const HeadTruth& truth) { return {truth.x, truth.y, truth.rx, truth.ry}; }

Calibration calibrated(const HeadClip& clip, const std::string& classifier = "plane") {
  const Frame first{clip.picture(0)};
  const ColourView view = first.view();
  const Oval oval = oval_of(clip.truth(0));
  CalibrationSettings settings;
  settings.classifier = classifier;
  settings.distance = clip.truth(0).distance;
  settings.field_of_view = clip.settings().field_of_view;
  return calibrate({&view, 1}, {&oval, 1}, settings);
}

struct Errors {
  double mean = 0, worst = 0;  // of the face's width
  double worst_distance = 0;   // of the distance
  std::size_t lost = 0;
};

Errors follow(const HeadClip& clip, Tracker& tracker, std::size_t frames, std::size_t step = 1) {
  Errors errors;
  std::size_t count = 0;
  for (std::size_t i = 0; i < frames; i += step) {
    const Frame frame{clip.picture(i)};
    const Estimate estimate = tracker.track(frame.view(), static_cast<double>(i) / 30);
    if (!estimate.found) {
      ++errors.lost;
      continue;
    }
    const HeadTruth truth = clip.truth(i);
    const double error = std::hypot(estimate.x - truth.x, estimate.y - truth.y) / (2 * truth.rx);
    errors.mean += error;
    errors.worst = std::max(errors.worst, error);
    if (estimate.distance) {
      errors.worst_distance = std::max(errors.worst_distance, std::abs(*estimate.distance / truth.distance - 1));
    }
    ++count;
  }
  errors.mean /= static_cast<double>(std::max<std::size_t>(1, count));
  return errors;
}

TEST(HeadTracker, FollowsASyntheticHeadWithinHalfAPercentOfItsWidth) {
  const HeadClip clip;
  Tracker tracker({.calibration = calibrated(clip)});
  const Errors errors = follow(clip, tracker, 120, 2);
  EXPECT_EQ(errors.lost, 0u);
  EXPECT_LT(errors.mean, 0.005);
  EXPECT_LT(errors.worst, 0.015);
  EXPECT_LT(errors.worst_distance, 0.05);
}

TEST(HeadTracker, AStillHeadStaysStill) {
  const HeadClip clip({.moves = false});
  Tracker tracker({.calibration = calibrated(clip)});
  double sum[2] = {0, 0}, squares[2] = {0, 0};
  constexpr std::size_t frames = 30;
  for (std::size_t i = 0; i < frames; ++i) {
    const Frame frame{clip.picture(i)};
    const Estimate estimate = tracker.track(frame.view(), static_cast<double>(i) / 30);
    ASSERT_TRUE(estimate.found);
    const double at[2] = {estimate.x, estimate.y};
    for (int c = 0; c < 2; ++c) sum[c] += at[c], squares[c] += at[c] * at[c];
  }
  for (int c = 0; c < 2; ++c) {
    const double mean = sum[c] / frames;
    EXPECT_LT(std::sqrt(std::max(0.0, squares[c] / frames - mean * mean)), 0.05);
  }
}

// Little skin, strewn over the frame: a centroid all the same, which plain mode refuses.
TEST(HeadTracker, PaperModeIsEquations4To6OfEveryFrame) {
  std::vector<std::uint8_t> pixels(160 * 120 * 3, 40);
  const auto paint = [&](std::size_t x, std::size_t y) { pixels[3 * (160 * y + x) + 2] = 255; };
  const SkinPlane plane{1.0 / 100, 0, 0, -1};
  TrackerSettings settings;
  settings.calibration.filter.model = plane;
  settings.mode = Mode::paper;
  Tracker tracker(settings);
  const ColourView frame{pixels.data(), 160, 120, 480, PixelFormat::bgr};
  EXPECT_FALSE(tracker.track(frame, 0).found);  // without any skin there is no centroid
  paint(10, 20), paint(151, 7), paint(40, 99);
  const Estimate estimate = tracker.track(frame, 1);
  ASSERT_TRUE(estimate.found);
  EXPECT_NEAR(estimate.x, (10 + 151 + 40) / 3.0, 1e-3);
  EXPECT_NEAR(estimate.y, (20 + 7 + 99) / 3.0, 1e-3);
  EXPECT_NEAR(estimate.area, 3.0 / (160 * 120), 1e-9);
  settings.mode = Mode::plain;
  EXPECT_FALSE(Tracker(settings).track(frame, 1).found);
}

TEST(HeadTracker, PlainModeIsThePapersCentroid) {
  const HeadClip clip({.width = 160, .height = 120});
  const Frame frame{clip.picture(3)};
  const SkinPlane plane{0.02, -0.015, -0.004, 0.1};
  Calibration filter;
  filter.filter.model = plane;
  Tracker tracker({.calibration = filter});
  EXPECT_EQ(tracker.settings().mode, Mode::plain);
  const Estimate estimate = tracker.track(frame.view(), 0);
  double w = 0, x = 0, y = 0;
  for (int v = 0; v < 120; ++v) {
    for (int u = 0; u < 160; ++u) {
      const std::uint8_t* bgr =
          &frame.picture.bgr[3 * (static_cast<std::size_t>(v) * 160 + static_cast<std::size_t>(u))];
      const double degree =
          std::max(0.0, std::min(1.0, plane.r * bgr[2] + plane.g * bgr[1] + plane.b * bgr[0] + plane.d));
      w += degree;
      x += degree * u;
      y += degree * v;
    }
  }
  ASSERT_TRUE(estimate.found);
  // the backends hold 1e-3 pixels and 1e-5 of the area
  EXPECT_NEAR(estimate.x, x / w, 1e-3);
  EXPECT_NEAR(estimate.y, y / w, 1e-3);
  EXPECT_NEAR(estimate.area, w / (160 * 120), 1e-5 * w / (160 * 120));
}

TEST(HeadTracker, SaysWhereThereIsNoHead) {
  const HeadClip clip({.width = 320, .height = 240});
  const Frame empty{clip.empty_room()};
  for (const Mode mode : {Mode::plain, Mode::window}) {
    TrackerSettings settings;
    settings.mode = mode;
    settings.calibration = calibrated(clip);
    Tracker tracker(settings);
    const Estimate lost = tracker.track(empty.view(), 0);
    if (mode == Mode::window) {
      EXPECT_FALSE(lost.found);
      EXPECT_NE(lost.why, "");
    }
    const Frame back{clip.picture(0)};
    EXPECT_TRUE(tracker.track(back.view(), 0.1).found);
  }
}

TEST(HeadTracker, FindsTheHeadAgainElsewhere) {
  const HeadClip clip({.width = 320, .height = 240});
  Tracker tracker({.calibration = calibrated(clip)});
  const Frame empty{clip.empty_room()};
  for (std::size_t i = 0; i < 5; ++i) EXPECT_TRUE(tracker.track(Frame{clip.picture(i)}.view(), 0.03 * i).found);
  for (std::size_t i = 5; i < 10; ++i) EXPECT_FALSE(tracker.track(empty.view(), 0.03 * i).found) << i;
  // a second later it is at the other end of its way
  const Estimate again = tracker.track(Frame{clip.picture(24)}.view(), 0.8);
  ASSERT_TRUE(again.found);
  const HeadTruth truth = clip.truth(24);
  EXPECT_LT(std::hypot(again.x - truth.x, again.y - truth.y), 0.3 * truth.rx);
}

TEST(HeadTracker, FollowsThroughChangingLight) {
  const HeadClip clip({.width = 320, .height = 240, .light = 0.35});
  Tracker tracker({.calibration = calibrated(clip)});
  const Errors errors = follow(clip, tracker, 240, 3);
  EXPECT_EQ(errors.lost, 0u);
  EXPECT_LT(errors.worst, 0.15);
}

TEST(HeadTracker, ABackgroundThatIsKnownLeavesThePlainModeTheHead) {
  const HeadClip clip({.width = 320, .height = 240});
  TrackerSettings settings;
  settings.mode = Mode::plain;
  settings.calibration = calibrated(clip);
  Tracker without(settings);
  settings.background = true;
  settings.calibration = calibrated(clip);
  Tracker with(settings);
  with.set_background(Frame{clip.empty_room()}.view());
  const Frame frame{clip.picture(20)};
  const HeadTruth truth = clip.truth(20);
  const Estimate a = without.track(frame.view(), 0), b = with.track(frame.view(), 0);
  ASSERT_TRUE(b.found);
  const auto error = [&](const Estimate& e) { return std::hypot(e.x - truth.x, e.y - truth.y) / truth.rx; };
  EXPECT_LT(error(b), 0.4);  // neck and hair: the centroid of skin, not the centre
  ASSERT_TRUE(a.found);
  EXPECT_LT(error(b), error(a));
}

TEST(HeadTracker, PlaceInSpaceComesFromDistanceAndFieldOfView) {
  const HeadClip clip({.width = 320, .height = 240});
  Tracker tracker({.calibration = calibrated(clip)});
  for (std::size_t i = 0; i < 30; i += 2) {
    const Estimate estimate = tracker.track(Frame{clip.picture(i)}.view(), i / 30.0);
    ASSERT_TRUE(estimate.position);
    const HeadTruth truth = clip.truth(i);
    const double focal = 160 / std::tan(clip.settings().field_of_view / 2);
    // five percent of the distance, and what that makes of the place aside
    EXPECT_NEAR(estimate.position->z, truth.distance, 0.05 * truth.distance);
    EXPECT_NEAR(estimate.position->x, (truth.x - 159.5) / focal * truth.distance, 0.015);
    EXPECT_NEAR(estimate.position->y, (truth.y - 119.5) / focal * truth.distance, 0.015);
  }
}

TEST(HeadTracker, TheSameFramesGiveTheSameEstimatesWhateverTheThreads) {
  const HeadClip clip({.width = 160, .height = 120});
  const Calibration calibration = calibrated(clip);
  const TrackerSettings settings{.calibration = calibration};
  Tracker a(settings, Compute(Backend::automatic, 1)), b(settings, Compute(Backend::automatic, 3));
  for (std::size_t i = 0; i < 16; ++i) {
    const Frame frame{clip.picture(i)};
    const Estimate x = a.track(frame.view(), i / 30.0), y = b.track(frame.view(), i / 30.0);
    EXPECT_EQ(x.x, y.x);
    EXPECT_EQ(x.y, y.y);
    EXPECT_EQ(x.area, y.area);
  }
}

TEST(HeadTracker, SmoothingStillsAndKeepsTheRawPlace) {
  const HeadClip clip({.width = 160, .height = 120, .moves = false});
  TrackerSettings settings;
  settings.smoothing = OneEuroSettings{0.5, 0, 1};
  settings.calibration = calibrated(clip);
  Tracker tracker(settings);
  double raw = 0, smooth = 0, last_raw = 0, last_smooth = 0;
  for (std::size_t i = 0; i < 20; ++i) {
    const Estimate estimate = tracker.track(Frame{clip.picture(i)}.view(), i / 30.0);
    if (i > 5) {
      raw += std::abs(estimate.raw_x - last_raw);
      smooth += std::abs(estimate.x - last_smooth);
    }
    last_raw = estimate.raw_x;
    last_smooth = estimate.x;
  }
  EXPECT_LT(smooth, 0.5 * raw);
}

// Of a film without colours.
Frame greyed(io::Picture picture) {
  for (std::size_t i = 0; i + 2 < picture.bgr.size(); i += 3) {
    const int sum = 29 * picture.bgr[i] + 150 * picture.bgr[i + 1] + 77 * picture.bgr[i + 2];
    for (std::size_t c = 0; c < 3; ++c) picture.bgr[i + c] = static_cast<std::uint8_t>(sum / 256);
  }
  return {std::move(picture)};
}

TEST(HeadTracker, FollowsByThePatternWhereThereAreNoColours) {
  const HeadClip clip;
  const Frame first = greyed(clip.picture(0));
  const ColourView view = first.view();
  const Oval oval = oval_of(clip.truth(0));
  Tracker tracker({.calibration = calibrate({&view, 1}, {&oval, 1}), .colours = false});
  for (std::size_t i = 0; i < 60; ++i) {
    const Frame frame = greyed(clip.picture(i));
    const Estimate estimate = tracker.track(frame.view(), static_cast<double>(i) / 30);
    ASSERT_TRUE(estimate.found) << i << ": " << estimate.why;
    const HeadTruth truth = clip.truth(i);
    EXPECT_LT(std::hypot(estimate.x - truth.x, estimate.y - truth.y), 0.25 * 2 * truth.rx) << i;
  }
  const Frame blank{
      {clip.settings().width, clip.settings().height, std::vector<std::uint8_t>(first.picture.bgr.size(), 90)}};
  const Estimate nobody = tracker.track(blank.view(), 2);
  EXPECT_FALSE(nobody.found);
  EXPECT_FALSE(nobody.why.empty());
  EXPECT_THROW(Tracker({.calibration = calibrated(clip), .pattern = false, .colours = false}), Error);
}

TEST(HeadTracker, RefusesFramesAndSettingsThatMakeNoSense) {
  const HeadClip clip({.width = 160, .height = 120});
  const Calibration calibration = calibrated(clip);
  Tracker tracker({.calibration = calibration});
  tracker.track(Frame{clip.picture(0)}.view(), 0);
  const HeadClip other({.width = 200, .height = 120});
  EXPECT_THROW(tracker.track(Frame{other.picture(0)}.view(), 1), Error);
  EXPECT_THROW(tracker.track(ColourView{}, 1), Error);

  EXPECT_THROW(Tracker(TrackerSettings{}), Error);
  const auto refuses = [&](const std::function<void(TrackerSettings&)>& change) {
    TrackerSettings settings{.calibration = calibration};
    change(settings);
    EXPECT_THROW(Tracker{settings}, Error);
  };
  refuses([](TrackerSettings& settings) {
    settings.mode = Mode::window;
    settings.calibration = {};
    settings.calibration.filter.model = SkinPlane{0.01, 0, 0, 0};
  });
  refuses([](TrackerSettings& settings) { settings.reference_distance = -1; });
  refuses([](TrackerSettings& settings) { settings.field_of_view = 4; });
}

TEST(HeadTracker, AFrameWithAGapFindsNobodySaysWhyAndChangesNothing) {
  const HeadClip clip({.width = 160, .height = 120});
  TrackerSettings settings{.calibration = calibrated(clip)};
  settings.smoothing.emplace();
  Tracker torn(settings), whole(settings);
  double last = -1;
  for (std::size_t i = 0; i < 6; ++i) {
    const double time = static_cast<double>(i) / 30;
    if (i == 3) {
      const Estimate gap = torn.track(io::Frame{.time = time, .gap = "a torn frame"});
      EXPECT_FALSE(gap.found);
      EXPECT_EQ(gap.why, "a torn frame");
      EXPECT_EQ(gap.time, time);
      EXPECT_EQ(torn.skip(time, "lost").why, "lost");
      continue;
    }
    const io::Frame frame{.time = time, .colour = clip.picture(i)};
    const Estimate one = torn.track(frame), other = whole.track(frame.view(), time);
    ASSERT_TRUE(one.found);
    EXPECT_EQ(one.x, other.x);
    EXPECT_EQ(one.distance, other.distance);
    EXPECT_GT(one.time, last);
    last = one.time;
  }
  EXPECT_THROW(torn.track(io::Frame{.time = 1}), Error) << "neither a picture nor a gap";
}

TEST(HeadTracker, RestartsAsInItsFirstFrame) {
  const HeadClip clip({.width = 320, .height = 240});
  for (const Mode mode : {Mode::plain, Mode::window}) {
    TrackerSettings settings{.calibration = calibrated(clip)};
    settings.mode = mode;
    settings.recalibrate = settings.pattern = false;  // nothing is learnt that would be kept
    settings.smoothing.emplace();
    Tracker tracker(settings), fresh(settings);
    for (std::size_t i = 0; i < 4; ++i) tracker.track(Frame{clip.picture(i)}.view(), static_cast<double>(i) / 30);
    tracker.start({20, 20, 10, 12});
    tracker.restart();
    const Frame later{clip.picture(24)};
    const Estimate again = tracker.track(later.view(), 0.8), first = fresh.track(later.view(), 0.8);
    ASSERT_TRUE(again.found);
    EXPECT_EQ(again.x, again.raw_x) << "not smoothed with what was before";
    const HeadTruth truth = clip.truth(24);
    EXPECT_LT(std::hypot(again.raw_x - first.raw_x, again.raw_y - first.raw_y), 0.05 * truth.rx);
  }
}

TEST(HeadTracker, FillsInItsSettings) {
  const HeadClip clip({.width = 160, .height = 120});
  const Calibration calibration = calibrated(clip);
  const TrackerSettings filled = Tracker({.calibration = calibration}).settings();
  EXPECT_EQ(filled.mode, Mode::window);
  EXPECT_EQ(filled.reference_distance, calibration.head->distance);
  EXPECT_EQ(filled.field_of_view, calibration.head->field_of_view);
  TrackerSettings given{.calibration = calibration};
  given.mode = Mode::plain;
  given.reference_distance = 2;
  given.field_of_view = 1.5;
  const TrackerSettings kept = Tracker(given).settings();
  EXPECT_EQ(kept.mode, Mode::plain);
  EXPECT_EQ(kept.reference_distance, 2);
  EXPECT_EQ(kept.field_of_view, 1.5);
}

TEST(HeadTracker, SaysWhatEveryTrackerSays) {
  const HeadClip clip({.width = 160, .height = 120});
  Tracker tracker({.calibration = calibrated(clip)}, Backend::cpu);
  EXPECT_EQ(tracker.backend(), Backend::cpu);
  const Estimate estimate = tracker.track(Frame{clip.picture(0)}.view(), 2.5);
  ASSERT_TRUE(estimate.found);
  EXPECT_EQ(estimate.time, 2.5);
  EXPECT_EQ(estimate.why, "");
  EXPECT_GT(estimate.confidence, 0.2);
  EXPECT_LE(estimate.confidence, 1);
  EXPECT_FALSE(estimate.times.empty());
}

}  // namespace
}  // namespace kinema::head
