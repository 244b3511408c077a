// When the person is measured while it is tracked, and by which frames.
#include "body/tracker/shape_learner.h"
#include "tracker_scene.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace kinema::body {
namespace {

// Frames of which nothing is seen: when fits are made does not depend on it.
struct Empty {
  Skeleton skeleton = default_human();
  std::vector<float> state = to_state(skeleton, walking(skeleton, 0));
  Threads threads{1};

  // The frames, of so many, after which the person was measured.
  std::vector<int> fits(ShapeLearner& learner, int frames, std::size_t& most) const {
    std::vector<int> when;
    for (int frame = 0; frame < frames; ++frame) {
      if (!learner.due()) continue;
      const std::optional<ShapeFit> fit = learner.add({}, {}, state, {}, threads);
      if (!fit) continue;
      when.push_back(frame);
      most = std::max(most, fit->states.size());
    }
    return when;
  }
};

TEST(BodyShapeLearner, MeasuresEarlyThenAfterASecondAndWheneverTwiceAsLongWasSeen) {
  const Empty scene;
  ShapeLearner learner(scene.skeleton, 0.1);
  EXPECT_FALSE(learner.known());
  std::size_t most = 0;
  EXPECT_EQ(scene.fits(learner, 500, most), (std::vector<int>{9, 27, 57, 114, 228, 456}));
  EXPECT_EQ(most, 20u);  // however long it goes on
  EXPECT_TRUE(learner.known());
}

TEST(BodyShapeLearner, BeginsAnewAtAnotherSize) {
  const Empty scene;
  ShapeLearner learner(scene.skeleton, 0.1);
  std::size_t most = 0;
  EXPECT_EQ(scene.fits(learner, 8, most).size(), 0u);
  learner.begin_at_size(1.1);
  EXPECT_EQ(scene.fits(learner, 10, most).size(), 0u);  // three more frames
  EXPECT_EQ(scene.fits(learner, 3, most).size(), 1u);
  EXPECT_EQ(most, 4u);
}

TEST(BodyShapeLearner, MeasuresAPersonOfAnotherSize) {
  const Skeleton model = default_human();
  const Skeleton person = scaled(model, 1.1);
  ShapeLearner learner(model, 0.1);
  learner.begin_at_size(1.12);
  std::optional<ShapeFit> fit;
  for (int frame = 0; frame < 30; ++frame) {
    if (!learner.due()) continue;
    const Pose pose = walking(person, frame / 30.0);
    RefineSettings refinement;
    refinement.evidence = 150;
    const auto again = learner.add(see(person, pose).refine_points(), Plane{{0, -1, 0}, 2, true}, to_state(model, pose),
                                   refinement, Threads(2));
    if (again) fit = again;
  }
  ASSERT_TRUE(fit && learner.known());
  const auto knee = static_cast<std::size_t>(model.find("left_knee"));
  EXPECT_NEAR(fit->skeleton.joints[knee].offset.y / person.joints[knee].offset.y, 1, 0.03);
}

}  // namespace
}  // namespace kinema::body
