// Which way heads look: as chests do, unless a sudden turn of the fitted head or a face that was seen says otherwise.
#include "body/smoothing/head_turn.h"

#include "core/geometry.h"
#include "tracker_scene.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace kinema::body {
namespace {

constexpr double frame_time = 1.0 / 30;
constexpr double degree = std::numbers::pi / 180;

class HeadTurns : public ::testing::Test {
protected:
  // Somebody whose head was fitted with this turn and nod against the chest.
  Estimate fitted(int frame, double turn, double nod = 0, double seconds = frame_time) const {
    Estimate result;
    result.time = frame * seconds;
    result.found = true;
    result.skeleton = person;
    result.pose = standing(*person, 2.5, 0.3);
    angle(result, 0) = nod;
    angle(result, 1) = turn;
    result.joints = joint_positions(*person, result.pose);
    return result;
  }

  // The default person's head nods and then turns.
  double& angle(Estimate& estimate, std::size_t freedom) const {
    std::size_t first = 0;
    for (const Joint& joint : person->joints) {
      if (joint.name == "head") break;
      first += joint.freedoms.size();
    }
    return estimate.pose.angles[first + freedom];
  }

  // As seen by a camera: it looks out of the chest, turned by so much to the left.
  FaceObservation face(const Estimate& estimate, double turn) const {
    const auto head = static_cast<std::size_t>(person->find("head"));
    const Quaternion chest = joint_rotations(*person, estimate.pose)[static_cast<std::size_t>(person->find("spine"))];
    FaceObservation seen;
    const Vec3 eyes = estimate.joints[head] + rotate(chest, Vec3{0, 0.08, 0.09});
    seen.distance = norm(eyes);
    seen.ray = (1 / seen.distance) * eyes;
    seen.direction = rotate(chest * exponential(Vec3{0, turn, 0}), Vec3{0, 0, 1});
    seen.distance_deviation = 0.1;
    return seen;
  }

  // The turn of the head of a single estimate after others.
  double corrected(Estimate estimate) {
    heads.correct({&estimate, 1});
    deviation = estimate.head_deviation.value().y;
    return angle(estimate, 1);
  }

  const std::shared_ptr<const Skeleton> person = std::make_shared<const Skeleton>(default_human());
  HeadTurn heads;
  double deviation = 0;  // of the last turn
};

TEST_F(HeadTurns, ThatLastAreAnErrorOfTheFit) {
  double turn = 0;
  for (int frame = 0; frame < 150; ++frame) turn = corrected(fitted(frame, 60 * degree));
  // of 60 degrees a filter that knows only necks and hair believes less than one deviation of the former
  EXPECT_LT(std::abs(turn), 10 * degree);
  EXPECT_GT(deviation, 5 * degree);
  EXPECT_LT(deviation, 20 * degree);
}

TEST_F(HeadTurns, ThatComeSuddenlyAreTurns) {
  for (int frame = 0; frame < 90; ++frame) corrected(fitted(frame, -30 * degree));
  const double before = corrected(fitted(90, -30 * degree));
  double after = 0;
  for (int frame = 91; frame < 97; ++frame) after = corrected(fitted(frame, 20 * degree));
  EXPECT_GT(after - before, 25 * degree);  // of 50, of which some may still be noise
}

TEST_F(HeadTurns, FollowFacesThatWereSeen) {
  for (int frame = 0; frame < 10; ++frame) {
    Estimate estimate = fitted(frame, -60 * degree);
    estimate.faces = {face(estimate, 40 * degree)};
    const double turn = corrected(estimate);
    // at once for the most part, and then as far as a face is to be believed
    EXPECT_NEAR(turn, 40 * degree, frame < 3 ? 20 * degree : 8 * degree) << frame;
  }
  EXPECT_LT(deviation, 8 * degree);
  // a turn that the fitted head does not make is not made either while no face is seen for a moment
  EXPECT_NEAR(corrected(fitted(10, -60 * degree)), 40 * degree, 8 * degree);
  const double sure = deviation;
  for (int frame = 11; frame < 60; ++frame) corrected(fitted(frame, -60 * degree));
  EXPECT_GT(deviation, sure);
}

TEST_F(HeadTurns, LeaveFacesOfOthersAlone) {
  Estimate estimate = fitted(0, 0);
  FaceObservation other = face(estimate, 60 * degree);
  other.ray = (1 / norm(other.ray + Vec3{0.3, 0, 0})) * (other.ray + Vec3{0.3, 0, 0});
  FaceObservation behind = face(estimate, 60 * degree);
  behind.distance += 1;
  estimate.faces = {other, behind};
  EXPECT_NEAR(corrected(estimate), 0, 1e-6);
}

TEST_F(HeadTurns, MoveNoJointAndNothingElse) {
  Estimate estimate = fitted(0, 50 * degree, -30 * degree), after = estimate;
  heads.correct({&after, 1});
  EXPECT_NE(angle(after, 1), angle(estimate, 1));
  angle(after, 0) = angle(estimate, 0);
  angle(after, 1) = angle(estimate, 1);
  EXPECT_EQ(after.pose.angles, estimate.pose.angles);
  const std::vector<Vec3> joints = joint_positions(*person, after.pose);
  for (std::size_t j = 0; j < joints.size(); ++j) EXPECT_EQ(norm(joints[j] - after.joints[j]), 0);
}

TEST_F(HeadTurns, OfEarlierFramesAreCorrectedByLaterOnes) {
  std::vector<Estimate> frames;
  for (int frame = 0; frame < 15; ++frame) frames.push_back(fitted(frame, 0));
  frames.back().faces = {face(frames.back(), 40 * degree)};
  heads.correct(frames);
  EXPECT_GT(angle(frames[13], 1), 20 * degree);
  EXPECT_GT(angle(frames[13], 1), angle(frames[5], 1));
  EXPECT_LT(frames[13].head_deviation->y, frames[5].head_deviation->y);
}

TEST_F(HeadTurns, AreForgottenWhereSomebodyWasLost) {
  const double first = corrected(fitted(0, 50 * degree));
  for (int frame = 1; frame < 90; ++frame) corrected(fitted(frame, 50 * degree));
  Estimate lost;
  lost.time = 90 * frame_time;
  heads.correct({&lost, 1});
  EXPECT_FALSE(lost.head_deviation);
  EXPECT_EQ(corrected(fitted(91, 50 * degree)), first);
}

TEST_F(HeadTurns, OfSkeletonsWithoutAHeadAreNone) {
  Skeleton plain = *person;
  plain.joints[static_cast<std::size_t>(plain.find("head"))].name = "top";
  Estimate estimate = fitted(0, 0.5);
  estimate.skeleton = std::make_shared<const Skeleton>(plain);
  const std::vector<double> before = estimate.pose.angles;
  heads.correct({&estimate, 1});
  EXPECT_EQ(estimate.pose.angles, before);
  EXPECT_FALSE(estimate.head_deviation);
}

}  // namespace
}  // namespace kinema::body
