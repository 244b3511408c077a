// A face is followed from frame to frame; where the score says that it is gone, it is looked for again at once.
#include "kinema/face_tracker.h"

#include "face/tracker/landmark_smoothing.h"
#include "kinema/error.h"
#include "kinema/source.h"
#include "planted.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace kinema::face {
namespace {

class FaceTracker : public ::testing::Test {
protected:
  static const Planted& planted() {
    static const Planted made;
    return made;
  }
  static std::shared_ptr<const Model> model() {
    static const auto made = [] {
      const auto faces = planted().population(40, 1);
      TrainSettings settings;
      settings.pixels = 400;
      settings.levels = 1;
      settings.mirrored = false;
      settings.displacements = 4;
      settings.cascade_stages = 2;
      settings.gradient = TrainSettings::Gradient::none;
      settings.project_out = false;
      return std::make_shared<const Model>(train(examples_of(faces), planted().layout(), settings));
    }();
    return made;
  }

  // A face that moves a pixel and turns a little each frame.
  static PlantedFace frame(int i) {
    PlantedParameters parameters;
    parameters.pose = {40, 0.5 * i, 80.0 + i, 80};
    return planted().draw(parameters);
  }

  static io::Picture picture_of(const PlantedFace& face) {
    const GreyView grey = face.view();
    io::Picture picture{static_cast<int>(grey.width), static_cast<int>(grey.height), {}};
    for (std::size_t y = 0; y < grey.height; ++y) {
      for (std::size_t x = 0; x < grey.width; ++x) picture.bgr.insert(picture.bgr.end(), 3, grey.at(x, y));
    }
    return picture;
  }

  static TrackerSettings settings(Detect detect = {}) { return {.model = model(), .detect = std::move(detect)}; }

  static Start start_at(const PlantedFace& face) {
    Start start;
    start.landmarks = face.landmarks;
    return start;
  }
};

TEST_F(FaceTracker, FollowsFromTheLastFrameWithoutADetector) {
  Tracker tracker(settings(), Backend::reference);
  EXPECT_FALSE(tracker.track(frame(0).view(), 0).found);  // nobody said where
  tracker.start(start_at(frame(0)));
  for (int i = 0; i < 5; ++i) {
    const PlantedFace face = frame(i);
    const Estimate tracked = tracker.track(face.view(), 0.04 * (i + 1));
    ASSERT_TRUE(tracked.found) << i << ": " << tracked.fit.failure;
    EXPECT_EQ(tracked.detected, i == 0);
    EXPECT_LT(mean_distance(tracked.landmarks, face.landmarks), 3) << i;
  }
}

TEST_F(FaceTracker, ExpectsFramesWithoutEffectOnAnEstimate) {
  for (const Backend backend : {Backend::cpu, Backend::cuda}) {
    if (!available(backend)) continue;
    Tracker plain(settings(), backend), expecting(settings(), backend);
    PlantedFace nothing = frame(0);
    for (std::size_t i = 0; i < nothing.pixels.size(); ++i) nothing.pixels[i] = i % 7 < 3 ? 40 : 200;
    // found, lost, gone for so long that there is nothing to fit, and found again in a place of memory that was used before
    std::vector<std::uint8_t> buffers[2];
    int untried = 0;
    const auto pixels = [&](int i) { return i < 3 || i > 40 ? frame(i % 5).pixels : nothing.pixels; };
    buffers[0] = pixels(0);
    for (int i = 0; i < 45; ++i) {
      buffers[(i + 1) % 2] = pixels(i + 1);
      const auto view = [&](int k) {
        GreyView image = nothing.view();
        image.data = buffers[k % 2].data();
        return image;
      };
      if (i == 0 || i == 42) {
        plain.start(start_at(frame(i % 5)));
        expecting.start(start_at(frame(i % 5)));
      }
      if (i % 4 != 3) expecting.expect(view(i + 1));
      const Estimate truth = plain.track(view(i), 0.04 * i), tracked = expecting.track(view(i), 0.04 * i);
      EXPECT_EQ(tracked.found, truth.found) << i;
      EXPECT_EQ(tracked.fit.landmarks, truth.fit.landmarks) << i;
      untried += truth.tried ? 0 : 1;
      if (i == 44) {
        EXPECT_TRUE(truth.found);
      }
    }
    EXPECT_GT(untried, 10);
  }
}

TEST_F(FaceTracker, FindsALostFaceAgainInTheFrameInWhichItIsBack) {
  int asked = 0;
  Tracker tracker(settings([&](const GreyView&) {
                    ++asked;
                    const PlantedFace face = frame(0);
                    float left = 1e9f, right = 0, top = 1e9f, bottom = 0;
                    for (std::size_t i = 0; i < face.landmarks.size(); i += 2) {
                      left = std::min(left, face.landmarks[i]), right = std::max(right, face.landmarks[i]);
                      top = std::min(top, face.landmarks[i + 1]), bottom = std::max(bottom, face.landmarks[i + 1]);
                    }
                    return std::vector<Start::Box>{{left, top, right - left, bottom - top, false}};
                  }),
                  Backend::reference);
  ASSERT_TRUE(tracker.track(frame(0).view(), 0).found);
  EXPECT_EQ(asked, 1);
  ASSERT_TRUE(tracker.track(frame(1).view(), 0.04).found);

  // a picture of stripes is no face
  PlantedFace nothing = frame(0);
  for (std::size_t i = 0; i < nothing.pixels.size(); ++i) nothing.pixels[i] = i % 7 < 3 ? 40 : 200;
  const Estimate gone = tracker.track(nothing.view(), 0.08);
  EXPECT_FALSE(gone.found);
  EXPECT_TRUE(gone.tried);
  EXPECT_TRUE(gone.landmarks.empty());
  const Estimate back = tracker.track(frame(0).view(), 0.12);
  EXPECT_TRUE(back.found);
  EXPECT_TRUE(back.detected);
}

TEST_F(FaceTracker, LooksWhereTheFaceWasWhenTheDetectorIsBlind) {
  Tracker tracker(settings(), Backend::reference);
  tracker.start(start_at(frame(0)));
  ASSERT_TRUE(tracker.track(frame(0).view(), 0).found);
  PlantedFace nothing = frame(0);
  for (std::size_t i = 0; i < nothing.pixels.size(); ++i) nothing.pixels[i] = i % 7 < 3 ? 40 : 200;
  EXPECT_FALSE(tracker.track(nothing.view(), 0.04).found);
  EXPECT_FALSE(tracker.track(nothing.view(), 0.08).found);
  const Estimate back = tracker.track(frame(2).view(), 0.12);
  EXPECT_TRUE(back.found);
  EXPECT_TRUE(back.detected);
  EXPECT_LT(mean_distance(back.landmarks, frame(2).landmarks), 3);
}

TEST_F(FaceTracker, AFrameWithAGapFindsNobodySaysWhyAndChangesNothing) {
  for (const Backend backend : {Backend::cpu, Backend::cuda}) {
    if (!available(backend)) continue;
    Tracker torn(settings(), backend), whole(settings(), backend);
    torn.start(start_at(frame(0)));
    whole.start(start_at(frame(0)));
    // one place of memory, as of a camera that reuses its buffers
    PlantedFace shown = frame(0);
    double last = -1;
    for (int i = 0; i < 5; ++i) {
      io::Frame next{.time = 0.04 * i};
      if (i == 2) {
        next.gap = "a torn frame";
        torn.expect(shown.view());
        const Estimate gap = torn.track(next);
        EXPECT_FALSE(gap.found || gap.tried);
        EXPECT_EQ(gap.why, "a torn frame");
        EXPECT_EQ(gap.time, next.time);
        continue;
      }
      shown.pixels = frame(i).pixels;
      next.colour = picture_of(shown);
      const Estimate one = torn.track(next), other = whole.track(shown.view(), next.time);
      ASSERT_TRUE(one.found) << i;
      EXPECT_EQ(one.landmarks, other.landmarks);
      EXPECT_EQ(one.detected, i == 0);
      EXPECT_GT(one.time, last);
      last = one.time;
    }
    EXPECT_THROW(torn.track(io::Frame{.time = 1}), Error) << "neither a picture nor a gap";
  }
}

TEST_F(FaceTracker, RestartsAsInItsFirstFrame) {
  int asked = 0;
  Tracker tracker(settings([&](const GreyView&) {
                    ++asked;
                    return std::vector<Start::Box>{};
                  }),
                  Backend::reference);
  tracker.start(start_at(frame(0)));
  ASSERT_TRUE(tracker.track(frame(0).view(), 0).found);
  const int before = asked;
  tracker.start(start_at(frame(0)));
  tracker.restart();
  // neither from the frame before, nor from the last position, nor from the start given before
  const Estimate nobody = tracker.track(frame(1).view(), 0.04);
  EXPECT_FALSE(nobody.found || nobody.tried);
  EXPECT_EQ(asked, before + 1);
  tracker.start(start_at(frame(2)));
  EXPECT_TRUE(tracker.track(frame(2).view(), 0.08).found);
}

TEST_F(FaceTracker, FillsInItsSettings) {
  TrackerSettings given = settings();
  given.lost = 0.4;
  const TrackerSettings filled = Tracker(given, Backend::reference).settings();
  EXPECT_EQ(filled.lost, 0.4);
  EXPECT_EQ(filled.model, model());
  EXPECT_FALSE(filled.head) << "of a model whose landmarks show no pose";
}

TEST_F(FaceTracker, SaysWhatEveryTrackerSays) {
  Tracker tracker(settings(), Backend::reference);
  EXPECT_EQ(tracker.backend(), Backend::reference);
  const Estimate nobody = tracker.track(frame(0).view(), 1.5);
  EXPECT_EQ(nobody.time, 1.5);
  EXPECT_EQ(nobody.why, "no face was found");
  EXPECT_EQ(nobody.confidence, 0);
  tracker.start(start_at(frame(0)));
  const Estimate found = tracker.track(frame(0).view(), 1.6);
  ASSERT_TRUE(found.found);
  EXPECT_EQ(found.why, "");
  EXPECT_EQ(found.confidence, 1 - found.fit.failure);
  ASSERT_EQ(found.times.size(), 2u);
  EXPECT_EQ(found.times[1].stage, "fit");
}

// Colour frames in any format are fitted as the grey image that they are converted to.
TEST_F(FaceTracker, TakesFramesAsACameraGivesThem) {
  const PlantedFace face = frame(0);
  const GreyView grey = face.view();
  std::vector<std::uint8_t> bgr, rgba;
  for (std::size_t y = 0; y < grey.height; ++y) {
    for (std::size_t x = 0; x < grey.width; ++x) {
      const std::uint8_t value = grey.at(x, y);
      bgr.insert(bgr.end(), {value, value, value});
      rgba.insert(rgba.end(), {value, value, value, 0});
    }
  }
  std::vector<std::vector<float>> landmarks;
  const auto track = [&](const auto& image) {
    Tracker tracker(settings(), Backend::cpu);
    tracker.start(start_at(face));
    landmarks.push_back(tracker.track(image, 0).landmarks);
  };
  track(grey);
  track(ColourView{bgr.data(), grey.width, grey.height, 3 * grey.width, PixelFormat::bgr});
  track(ColourView{rgba.data(), grey.width, grey.height, 4 * grey.width, PixelFormat::rgba});
  EXPECT_FALSE(landmarks[0].empty());
  EXPECT_EQ(landmarks[1], landmarks[0]);
  EXPECT_EQ(landmarks[2], landmarks[0]);
}

TEST_F(FaceTracker, RefusesSettingsThatMakeNoSense) {
  EXPECT_THROW(Tracker(TrackerSettings{}, Backend::reference), Error);
  TrackerSettings wrong = settings();
  wrong.lost = 2;
  EXPECT_THROW(Tracker(wrong, Backend::reference), Error);
  wrong = settings();
  wrong.smoothing = NAN;
  EXPECT_THROW(Tracker(wrong, Backend::reference), Error);
}

TEST(LandmarkSmoothing, RestsWhenTheFaceRestsAndFollowsWhenItMoves) {
  LandmarkSmoothing smoothing(1, 8);
  double before = 0, after = 0;
  std::vector<float> smoothed;
  for (int i = 0; i < 60; ++i) {
    const float noise = i % 2 == 0 ? 0.5f : -0.5f;
    smoothed = smoothing.smooth(std::vector<float>{10 + noise, 20 - noise, 30 + noise, 40}, i / 30.0, 100);
    if (i > 30) before += 0.5, after += std::abs(static_cast<double>(smoothed[0]) - 10);
  }
  EXPECT_LT(after, 0.4 * before);
  // a quick move: two face widths a second
  for (int i = 1; i <= 15; ++i)
    smoothed = smoothing.smooth(std::vector<float>{10 + 7.0f * i, 20, 30 + 7.0f * i, 40}, 2 + i / 30.0, 100);
  EXPECT_GT(smoothed[0], 10 + 7 * 15 - 20);
}

// Two people before one camera, the first in front of the second.
class FaceTrackerOfSeveral : public FaceTracker {
protected:
  static constexpr std::size_t width = 320, height = 160;

  static PlantedFace face_at(double x, double looks) {
    PlantedParameters parameters;
    parameters.texture = {looks, -looks};
    parameters.pose = {36, 0, x, 80};
    return planted().draw(parameters, width, height);
  }

  static std::vector<std::uint8_t> composed(const PlantedFace& front, const PlantedFace& back) {
    static const PlantedFace nobody = face_at(-500, 0);
    std::vector<std::uint8_t> pixels = back.pixels;
    for (std::size_t i = 0; i < pixels.size(); ++i)
      if (front.pixels[i] != nobody.pixels[i]) pixels[i] = front.pixels[i];
    return pixels;
  }

  static Start::Box box_of(const PlantedFace& face) {
    float low[2] = {1e9f, 1e9f}, high[2] = {-1e9f, -1e9f};
    for (std::size_t i = 0; i < face.landmarks.size(); ++i) {
      low[i % 2] = std::min(low[i % 2], face.landmarks[i]);
      high[i % 2] = std::max(high[i % 2], face.landmarks[i]);
    }
    return {low[0], low[1], high[0] - low[0], high[1] - low[1], false};
  }

  static int nearest(const std::vector<Estimate>& people, const PlantedFace& face) {
    const auto best = std::min_element(people.begin(), people.end(), [&](const Estimate& a, const Estimate& b) {
      return mean_distance(a.landmarks, face.landmarks) < mean_distance(b.landmarks, face.landmarks);
    });
    return best->person;
  }
};

TEST_F(FaceTrackerOfSeveral, NumbersAreKeptWhereTwoCross) {
  std::vector<Start::Box> boxes;
  TrackerSettings two = settings([&](const GreyView&) { return boxes; });
  two.people = 2;
  Tracker tracker(two, Backend::cpu);
  int first = 0, second = 0, hidden = 0;
  for (int i = 0; i <= 70; ++i) {
    const PlantedFace front = face_at(60 + 3.0 * i - 5, 1.5), back = face_at(265 - 3.0 * i, -1.5);
    const std::vector<std::uint8_t> pixels = composed(front, back);
    boxes = {box_of(front)};
    if (std::abs(front.landmarks[0] - back.landmarks[0]) > 60) boxes.push_back(box_of(back));
    tracker.track(GreyView{pixels.data(), width, height, width}, 0.04 * i);
    const std::vector<Estimate>& people = tracker.people();
    for (const Estimate& one : people) EXPECT_TRUE(one.person == 1 || one.person == 2) << i;
    hidden += people.size() < 2;
    if (i == 0) {
      ASSERT_EQ(people.size(), 2u);
      first = nearest(people, front), second = nearest(people, back);
      EXPECT_NE(first, second);
    }
    if (i == 70) {
      ASSERT_EQ(people.size(), 2u);
      EXPECT_EQ(nearest(people, front), first);
      EXPECT_EQ(nearest(people, back), second);
    }
  }
  EXPECT_GT(hidden, 3);  // behind the other
}

TEST_F(FaceTrackerOfSeveral, NoMoreAreFollowedThanWanted) {
  const PlantedFace left = face_at(60, 1.5), right = face_at(250, -1.5);
  const std::vector<std::uint8_t> pixels = composed(left, right);
  TrackerSettings all = settings([&](const GreyView&) { return std::vector{box_of(left), box_of(right)}; });
  for (const int people : {0, 2, 30}) {
    all.people = people;
    Tracker tracker(all, Backend::cpu);
    EXPECT_EQ(tracker.track(GreyView{pixels.data(), width, height, width}, 0).person, 1);
    EXPECT_EQ(tracker.people().size(), 2u) << people;
  }
  all.people = -1;
  EXPECT_THROW(Tracker(all, Backend::cpu), Error);
}

TEST_F(FaceTrackerOfSeveral, WhereThereIsNobodyOneEstimateSaysSo) {
  TrackerSettings all = settings([](const GreyView&) { return std::vector<Start::Box>(); });
  all.people = 0;
  Tracker tracker(all, Backend::cpu);
  const PlantedFace nobody = face_at(-500, 0);
  const Estimate estimate = tracker.track(nobody.view(), 0);
  EXPECT_FALSE(estimate.found);
  EXPECT_EQ(estimate.why, "no face was found");
  EXPECT_EQ(tracker.people().size(), 1u);
  tracker.start(start_at(face_at(100, 1)));
  EXPECT_EQ(tracker.track(face_at(100, 1).view(), 0.04).person, 1);
}

}  // namespace
}  // namespace kinema::face
