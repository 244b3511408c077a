// What a face in the picture says about a body: which of its facings is right, and no more than it may say.
#include "body/tracker/face_evidence.h"
#include "body/tracker/rival_poses.h"
#include "kinema/body_filter.h"
#include "kinema/error.h"
#include "problems.h"
#include "tracker_scene.h"

#include <cmath>
#include <limits>

namespace kinema::body {
namespace {

constexpr double frame_time = 1.0 / 30;
constexpr double pi = 3.14159265358979323846;

Vec3 front_of(const Pose& pose) { return rotate(pose.rotation, Vec3{0, 0, 1}); }

// The face of somebody in this pose.
FaceObservation face_of(const Skeleton& skeleton, const Pose& pose) {
  const Vec3 eyes = joint_positions(skeleton, pose)[static_cast<std::size_t>(skeleton.find("head"))] +
                    rotate(pose.rotation, Vec3{0, 0.03, 0.09});
  FaceObservation face;
  face.distance = norm(eyes);
  face.distance_deviation = 0.05 * face.distance;
  face.ray = (1 / face.distance) * eyes;
  face.direction = front_of(pose);
  face.probability = 0.95;
  return face;
}

// A person whose front and back have the same skin.
Skeleton alike() {
  Skeleton skeleton = default_human();
  for (Joint& joint : skeleton.joints) joint.offset.z = 0;
  for (SkinCapsule& capsule : skeleton.capsules) capsule.a.z = capsule.b.z = 0;
  return skeleton;
}

double facing_error(const Pose& a, const Pose& b) {
  return std::acos(std::clamp(dot(front_of(a), front_of(b)), -1., 1.));
}

TEST(FaceEvidence, SpeaksForThePoseThatHasTheFace) {
  const Skeleton skeleton = default_human();
  const Pose truth = standing(skeleton, 2.5, 0.4);
  const std::vector<float> right = to_state(skeleton, truth), wrong = RivalPoses(skeleton).turned_round(right);
  FaceEvidence evidence(skeleton);
  EXPECT_EQ(evidence.cost(right), 0);
  EXPECT_EQ(evidence.cost(wrong), 0);
  EXPECT_FALSE(evidence.prefer(wrong, right));
  const std::vector faces{face_of(skeleton, truth)};
  evidence.set(faces);
  EXPECT_LT(evidence.cost(right), 1);
  EXPECT_GT(evidence.cost(wrong), 8);
  EXPECT_TRUE(evidence.prefer(wrong, right));
  EXPECT_FALSE(evidence.prefer(right, wrong));
  evidence.set({});
  EXPECT_EQ(evidence.cost(wrong), 0);
}

TEST(FaceEvidence, AHeadThatIsTurnedOrBowedStillShowsTheFront) {
  const Skeleton skeleton = default_human();
  const Pose truth = standing(skeleton, 2.5, 0);
  const std::vector<float> right = to_state(skeleton, truth), wrong = RivalPoses(skeleton).turned_round(right);
  FaceEvidence evidence(skeleton);
  for (const Vec3& looks : {Vec3{0.7, 0.1, -0.7}, Vec3{-0.7, 0, -0.7}, Vec3{0, 0.75, -0.66}}) {
    std::vector faces{face_of(skeleton, truth)};
    faces[0].direction = (1 / norm(looks)) * looks;
    evidence.set(faces);
    EXPECT_TRUE(evidence.prefer(wrong, right));
  }
}

TEST(FaceEvidence, AFaceElsewhereOrOneThatIsNoneSaysNothing) {
  const Skeleton skeleton = default_human();
  const Pose truth = standing(skeleton, 2.5, 0);
  const std::vector<float> right = to_state(skeleton, truth), wrong = RivalPoses(skeleton).turned_round(right);
  FaceEvidence evidence(skeleton);
  const FaceObservation own = face_of(skeleton, truth);
  FaceObservation beside = own, behind = own, nearer = own, none = own, away = own;
  away.direction = -1 * own.direction;
  beside.ray = rotate(exponential(Vec3{0, 0.4, 0}), own.ray);
  behind.ray = -1 * own.ray;
  nearer.distance = 1;
  nearer.distance_deviation = 0.05;
  none.probability = 0;
  for (const FaceObservation& face : {beside, behind, nearer, none, away}) {
    const std::vector faces{face};
    evidence.set(faces);
    EXPECT_FALSE(evidence.prefer(wrong, right));
    EXPECT_NEAR(evidence.cost(wrong), evidence.cost(right), 0.01);
    EXPECT_TRUE(std::isfinite(evidence.cost(right)));
  }
  // with the person's own, the other does not matter
  const std::vector both{beside, own};
  evidence.set(both);
  EXPECT_TRUE(evidence.prefer(wrong, right));
}

TEST(FaceEvidence, ASkeletonWithoutAHeadTakesNoNotice) {
  Skeleton skeleton = default_human();
  const std::vector faces{face_of(skeleton, standing(skeleton, 2.5, 0))};
  const std::vector<float> wrong = to_state(skeleton, standing(skeleton, 2.5, pi));
  skeleton.joints[static_cast<std::size_t>(skeleton.find("head"))].name = "top";
  FaceEvidence evidence(skeleton);
  evidence.set(faces);
  EXPECT_EQ(evidence.cost(wrong), 0);
}

TEST(FaceEvidence, RefusesNumbersThatCannotBe) {
  const auto refused = [](auto change) {
    FaceObservation face;
    change(face);
    EXPECT_THROW(check(face), Error);
  };
  EXPECT_NO_THROW(check(FaceObservation{}));
  refused([](FaceObservation& face) { face.ray = {0, 0, 2}; });
  refused([](FaceObservation& face) { face.direction = {}; });
  refused([](FaceObservation& face) { face.direction.x = std::numeric_limits<double>::quiet_NaN(); });
  refused([](FaceObservation& face) { face.ray_deviation = -1; });
  refused([](FaceObservation& face) { face.direction_deviation = INFINITY; });
  refused([](FaceObservation& face) { face.distance = -1; });
  refused([](FaceObservation& face) { face.distance_deviation = -1; });
  refused([](FaceObservation& face) { face.probability = 1.1; });
}

class BodyFilterWithFaces : public OnBackend {
protected:
  static TrackerSettings small(const Skeleton& skeleton) {
    TrackerSettings settings;
    settings.particles = 60;
    settings.fit_shape = false;
    settings.skeleton = skeleton;
    return settings;
  }

  // The facing after some frames in which nobody moves, from a start that is back to front, or from a search.
  double error_after(int frames, const Skeleton& skeleton, const Pose& truth, std::span<const FaceObservation> faces,
                     bool turned) const {
    const auto filter = make_filter(small(skeleton), GetParam());
    if (turned) filter->start(to_pose(RivalPoses(skeleton).turned_round(to_state(skeleton, truth))));
    const SeenPoints seen = see(skeleton, truth);
    Estimate estimate;
    for (int frame = 0; frame < frames; ++frame) {
      estimate = filter->track({frame * frame_time, seen.view(), {}, faces});
      EXPECT_TRUE(estimate.found);
      EXPECT_EQ(estimate.faces.size(), faces.size());
    }
    return facing_error(estimate.pose, truth);
  }
};

TEST_P(BodyFilterWithFaces, APersonStartedBackToFrontIsTurned) {
  const Skeleton skeleton = alike();
  // half away, with straight limbs, looking back: neither the points nor what is usual speak for the true facing
  Pose truth = standing(skeleton, 2.5, 1.75);
  for (const char* joint : {"left_knee", "right_knee", "left_elbow", "right_elbow"}) turn(skeleton, truth, joint, 0, 0);
  std::vector faces{face_of(skeleton, truth)};
  faces[0].direction = front_of(standing(skeleton, 2.5, 1.35));
  EXPECT_LT(error_after(10, skeleton, truth, faces, true), 0.5);
  EXPECT_GT(error_after(10, skeleton, truth, {}, true), 2.5) << "else the test shows nothing";
}

TEST_P(BodyFilterWithFaces, ASearchFindsTheFacingOfTheFace) {
  const Skeleton skeleton = alike();
  for (const double facing : {-1.5, 1.5}) {
    const Pose truth = standing(skeleton, 2.5, facing);
    const std::vector faces{face_of(skeleton, truth)};
    EXPECT_LT(error_after(1, skeleton, truth, faces, false), 0.5);
  }
}

TEST_P(BodyFilterWithFaces, AFalseFaceDoesNotTurnABodyThatThePointsContradict) {
  const Skeleton skeleton = default_human();
  Pose truth = standing(skeleton, 2.5, pi);
  turn(skeleton, truth, "left_knee", 0, 0.6);
  turn(skeleton, truth, "right_elbow", 0, 1.2);
  Pose turned = truth;
  turned.rotation = standing(skeleton, 2.5, 0).rotation;
  const std::vector faces{face_of(skeleton, turned)};
  EXPECT_LT(error_after(12, skeleton, truth, faces, false), 0.5);
}

INSTANTIATE_TEST_SUITE_P(Backends, BodyFilterWithFaces, ::testing::Values(Backend::cpu, Backend::cuda), backend_name);

}  // namespace
}  // namespace kinema::body
