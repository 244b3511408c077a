// What goes to the receivers of live estimates, byte by byte, and through a socket.
#include "core/geometry.h"
#include "io/network/avatar_frame.h"
#include "io/network/body_network.h"
#include "io/network/head_network.h"
#include "io/network/live_sender.h"
#include "kinema/error.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <map>
#include <numbers>
#include <string>
#include <variant>

namespace kinema::io {
namespace {

// A socket that listens on a port of its own.
class Receiver {
public:
  Receiver() : descriptor_(::socket(AF_INET, SOCK_DGRAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::bind(descriptor_, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    socklen_t size = sizeof address;
    ::getsockname(descriptor_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
  }
  ~Receiver() { ::close(descriptor_); }
  std::string target() const { return "127.0.0.1:" + std::to_string(port_); }
  std::vector<std::byte> take() const {
    std::vector<std::byte> bytes(2048);
    const ssize_t size = ::recv(descriptor_, bytes.data(), bytes.size(), MSG_DONTWAIT);
    bytes.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
    return bytes;
  }

private:
  int descriptor_;
  int port_ = 0;
};

TEST(Opentrack, SendsSixDoublesInCentimetres) {
  const Receiver receiver;
  HeadSender sender({.opentrack = receiver.target()});
  sender.send(0, Vec3{0.05, -0.02, 0.6}, 1);
  const std::vector<std::byte> bytes = receiver.take();
  ASSERT_EQ(bytes.size(), 48u);
  double values[6];
  std::memcpy(values, bytes.data(), 48);  // little-endian machines only, as all that kinema runs on
  // the camera faces the user, whose right is its left; up is not down
  EXPECT_DOUBLE_EQ(values[0], -5);
  EXPECT_DOUBLE_EQ(values[1], 2);
  EXPECT_DOUBLE_EQ(values[2], 60);
  for (int i = 3; i < 6; ++i) EXPECT_EQ(values[i], 0);
}

TEST(Opentrack, MayCarryWhenTheFrameWasTaken) {
  const Receiver receiver;
  HeadSender sender({.opentrack = receiver.target(), .opentrack_time = true});
  sender.send(1763200000.25, Vec3{0.05, -0.02, 0.6}, 1);
  const std::vector<std::byte> bytes = receiver.take();
  ASSERT_EQ(bytes.size(), 56u);
  double time = 0;
  std::memcpy(&time, bytes.data() + 48, 8);
  EXPECT_EQ(time, 1763200000.25);
}

std::uint32_t word_at(const std::vector<std::byte>& bytes, std::size_t at) {
  std::uint32_t word = 0;
  for (std::size_t i = 0; i < 4; ++i) word = (word << 8) | static_cast<std::uint32_t>(bytes.at(at + i));
  return word;
}

TEST(Osc, SendsABundleWithTheTimeAndThePlace) {
  const Receiver receiver;
  HeadSender sender({.osc = receiver.target()});
  sender.send(1.5, Vec3{0.25, -0.5, 1}, 0.75);
  const std::vector<std::byte> bytes = receiver.take();
  // "#bundle", eight bytes of time, four of size; "/kinema/head" and ",ffff" in whole words, four floats
  ASSERT_EQ(bytes.size(), 8u + 8 + 4 + 16 + 8 + 16);
  EXPECT_EQ(std::memcmp(bytes.data(), "#bundle\0", 8), 0);
  EXPECT_EQ(word_at(bytes, 8), 2208988801u);   // 1970 is so many seconds after 1900
  EXPECT_EQ(word_at(bytes, 12), 0x80000000u);  // half a second
  EXPECT_EQ(word_at(bytes, 16), 40u);
  EXPECT_EQ(std::memcmp(bytes.data() + 20, "/kinema/head\0\0\0\0", 16), 0);
  EXPECT_EQ(std::memcmp(bytes.data() + 36, ",ffff\0\0\0", 8), 0);
  const float expected[] = {0.25f, -0.5f, 1, 0.75f};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(std::bit_cast<float>(word_at(bytes, 44 + 4 * i)), expected[i]);
}

TEST(Osc, SaysThatTheHeadIsLost) {
  const std::vector<std::byte> bytes = osc_bundles(0, head_osc(std::nullopt, 0)).front();
  EXPECT_EQ(bytes.size() % 4, 0u);
  EXPECT_EQ(std::memcmp(bytes.data() + 20, "/kinema/head/lost\0\0\0,\0\0\0", 24), 0);
}

// A message, read as OSC 1.0 describes it.
struct Read {
  std::string address;
  std::vector<std::variant<int, float, std::string>> values;
};

std::string text_at(const std::vector<std::byte>& bytes, std::size_t& at) {
  std::string text;
  while (bytes.at(at) != std::byte{0}) text += static_cast<char>(bytes.at(at++));
  at = at / 4 * 4 + 4;
  return text;
}

Read read(const OscMessage& message) {
  const std::vector<std::byte> bytes = message.bytes();
  EXPECT_EQ(bytes.size() % 4, 0u);
  std::size_t at = 0;
  Read result{text_at(bytes, at), {}};
  const std::string types = text_at(bytes, at);
  EXPECT_EQ(types.front(), ',');
  for (char type : types.substr(1)) {
    if (type == 's') {
      result.values.emplace_back(text_at(bytes, at));
      continue;
    }
    const std::uint32_t word = word_at(bytes, at);
    at += 4;
    if (type == 'i') result.values.emplace_back(static_cast<int>(word));
    if (type == 'f') result.values.emplace_back(std::bit_cast<float>(word));
  }
  EXPECT_EQ(at, bytes.size());
  return result;
}

// Numbers of messages by address, or by address and name where the first value is one.
std::map<std::string, std::vector<double>> numbers(const std::vector<OscMessage>& messages) {
  std::map<std::string, std::vector<double>> all;
  for (const OscMessage& message : messages) {
    const Read one = read(message);
    std::string name = one.address;
    std::vector<double> values;
    for (const auto& value : one.values) {
      if (const auto* text = std::get_if<std::string>(&value)) name += " " + *text;
      if (const auto* whole = std::get_if<int>(&value)) values.push_back(*whole);
      if (const auto* real = std::get_if<float>(&value)) values.push_back(*real);
    }
    EXPECT_TRUE(all.emplace(name, values).second) << name;
  }
  return all;
}

constexpr double degree = std::numbers::pi / 180;
const double root_half = std::sqrt(0.5);

void expect_near(const std::vector<double>& values, const std::vector<double>& expected, const std::string& what) {
  ASSERT_EQ(values.size(), expected.size()) << what;
  // floats of metres and of unit quaternions
  for (std::size_t i = 0; i < values.size(); ++i) EXPECT_NEAR(values[i], expected[i], 2e-5) << what << " " << i;
}

// Somebody who faces the camera in a T, 2.5 m away, unless a test turns it.
class BodyNetwork : public ::testing::Test {
protected:
  BodyNetwork() { estimate.pose = body::rest_pose(skeleton, 2.5); }
  void bend(const std::string& joint, std::initializer_list<double> degrees) {
    std::size_t at = 0;
    for (const body::Joint& one : skeleton.joints) {
      if (one.name == joint) break;
      at += one.freedoms.size();
    }
    for (double angle : degrees) estimate.pose.angles.at(at++) = angle * degree;
  }
  void place() {
    estimate.found = true;
    estimate.frame = 7;
    estimate.time = 0.25;
    estimate.confidence = 0.5;
    estimate.joints = body::joint_positions(skeleton, estimate.pose);
    estimate.deviation.assign(estimate.joints.size(), 0.0625);
  }
  Vec3 joint(const std::string& name) const { return estimate.joints[static_cast<std::size_t>(skeleton.find(name))]; }

  const body::Skeleton skeleton = body::default_human();
  body::Estimate estimate;
};

TEST_F(BodyNetwork, AnAvatarAtRestHasNoTurns) {
  place();
  const auto all = numbers(body_vmc(skeleton, estimate, 0.9));
  expect_near(all.at("/VMC/Ext/OK"), {1, 3, 0, 1}, "OK");
  expect_near(all.at("/VMC/Ext/T"), {0.25}, "T");
  expect_near(all.at("/VMC/Ext/Root/Pos root"), {0, 0, -2.5, 0, 0, 0, 1}, "root");
  expect_near(all.at("/VMC/Ext/Bone/Pos Hips"), {0, 0.9, 0, 0, 0, 0, 1}, "Hips");
  EXPECT_EQ(all.size(), 3u + 21);
  for (const auto& [name, values] : all) {
    if (name.starts_with("/VMC/Ext/Bone")) expect_near({values.begin() + 3, values.end()}, {0, 0, 0, 1}, name);
  }
  // the person's left is at negative x, where z is the front
  const Vec3 arm = skeleton.joints[static_cast<std::size_t>(skeleton.find("left_elbow"))].offset;
  EXPECT_GT(arm.x, 0.2);
  EXPECT_NEAR(all.at("/VMC/Ext/Bone/Pos LeftLowerArm")[0], -arm.x, 1e-6);
}

TEST_F(BodyNetwork, ALeftElbowBentToTheFrontTurnsAboutUp) {
  bend("left_elbow", {90});
  place();
  const auto all = numbers(body_vmc(skeleton, estimate, 0));
  // left-handed, y up: a quarter turn about +y takes -x, where the left arm points, to +z, the front
  std::vector<double> turn = all.at("/VMC/Ext/Bone/Pos LeftLowerArm");
  expect_near({turn.begin() + 3, turn.end()}, {0, root_half, 0, root_half}, "LeftLowerArm");
  bend("right_elbow", {90});
  place();
  turn = numbers(body_vmc(skeleton, estimate, 0)).at("/VMC/Ext/Bone/Pos RightLowerArm");
  expect_near({turn.begin() + 3, turn.end()}, {0, -root_half, 0, root_half}, "RightLowerArm");
}

TEST_F(BodyNetwork, AKneeBendsAboutTheAxisToTheRight) {
  bend("right_knee", {90});
  place();
  const std::vector<double> turn = numbers(body_vmc(skeleton, estimate, 0)).at("/VMC/Ext/Bone/Pos RightLowerLeg");
  // left-handed: a quarter turn about +x takes -y, where the shin points, to -z, the back
  expect_near({turn.begin() + 3, turn.end()}, {root_half, 0, 0, root_half}, "RightLowerLeg");
}

TEST_F(BodyNetwork, SomebodyWhoTurnsRightTurnsPositivelyAboutUp) {
  // in the camera frame y points down, and the person's right is the camera's left: about +y from z' = -z to x' = -x
  estimate.pose.rotation = exponential(Vec3{0, 90 * degree, 0}) * estimate.pose.rotation;
  place();
  // looking along the camera's negative x, which is the person's right before it turned
  const Vec3 front = rotate(estimate.pose.rotation, Vec3{0, 0, 1});
  ASSERT_NEAR(front.x, -1, 1e-9);
  const auto vmc = numbers(body_vmc(skeleton, estimate, 0));
  const std::vector<double> hips = vmc.at("/VMC/Ext/Bone/Pos Hips");
  expect_near({hips.begin() + 3, hips.end()}, {0, root_half, 0, root_half}, "Hips");
  expect_near(numbers(body_vrchat(skeleton, estimate, 0)).at("/tracking/trackers/1/rotation"), {0, 90, 0}, "hips");
  const HeadPose head = *head_pose(skeleton, estimate);
  expect_near({head.yaw_pitch_roll.begin(), head.yaw_pitch_roll.end()}, {90, 0, 0}, "head");
}

TEST_F(BodyNetwork, AHeadThatNodsPitchesDown) {
  bend("head", {30, 0});
  place();
  const HeadPose head = *head_pose(skeleton, estimate);
  EXPECT_NEAR(head.yaw_pitch_roll[0], 0, 1e-4);
  EXPECT_NEAR(head.yaw_pitch_roll[1], -30, 1e-4);
  EXPECT_NEAR(numbers(body_vrchat(skeleton, estimate, 0)).at("/tracking/trackers/head/rotation")[0], 30, 1e-4);
  // to the right shoulder: opentrack's roll is positive
  bend("head", {0, 0});
  bend("neck", {0, 20});
  place();
  EXPECT_NEAR(head_pose(skeleton, estimate)->yaw_pitch_roll[2], 20, 1e-4);
}

TEST_F(BodyNetwork, TrackersOfVrchatStandOnTheFloor) {
  estimate.pose.position = {0.3, -0.2, 3};
  place();
  const auto all = numbers(body_vrchat(skeleton, estimate, 0.7));
  EXPECT_EQ(all.size(), 18u);
  expect_near(all.at("/tracking/trackers/1/position"), {-0.3, 0.9, -3}, "hips");
  const Vec3 foot = joint("left_ankle"), elbow = joint("right_elbow");
  expect_near(all.at("/tracking/trackers/3/position"), {-foot.x, 0.7 - foot.y, -foot.z}, "left foot");
  expect_near(all.at("/tracking/trackers/8/position"), {-elbow.x, 0.7 - elbow.y, -elbow.z}, "right elbow");
  EXPECT_LT(all.at("/tracking/trackers/3/position")[0], all.at("/tracking/trackers/4/position")[0]);  // left is at -x
}

TEST_F(BodyNetwork, EulerAnglesAreThoseOfUnity) {
  const auto about = [](double x, double y, double z) {
    return exponential(Vec3{0, y * degree, 0}) * exponential(Vec3{x * degree, 0, 0}) *
           exponential(Vec3{0, 0, z * degree});
  };
  for (const auto& [x, y, z] : {std::array{20.0, 50.0, -70.0}, {-89.0, 170.0, 10.0}, {0.0, -90.0, 0.0}}) {
    const auto turn = euler_degrees(about(x, y, z));
    EXPECT_NEAR(turn[0], x, 1e-9);
    EXPECT_NEAR(turn[1], y, 1e-9);
    EXPECT_NEAR(turn[2], z, 1e-9);
  }
  // straight down: only the difference of y and z is left
  const auto turn = euler_degrees(about(90, 30, 10));
  EXPECT_NEAR(turn[0], 90, 1e-5);
  EXPECT_NEAR(turn[1], 20, 1e-5);
  EXPECT_EQ(turn[2], 0);
}

TEST_F(BodyNetwork, JointsGoOutInTheCameraFrame) {
  place();
  const auto all = numbers(body_osc(skeleton, estimate));
  expect_near(all.at("/kinema/body"), {7, 0.5}, "body");
  const Vec3 at = joint("left_wrist");
  expect_near(all.at("/kinema/body/joint left_wrist"), {at.x, at.y, at.z, 1, 0, 0, 0, 0.0625}, "left wrist");
  EXPECT_EQ(all.size(), 22u);
}

TEST_F(BodyNetwork, SaysThatNobodyIsThere) {
  estimate.found = false;
  estimate.frame = 7;
  expect_near(numbers(body_osc(skeleton, estimate)).at("/kinema/body/lost"), {7}, "lost");
  const auto vmc = numbers(body_vmc(skeleton, estimate, 0));
  expect_near(vmc.at("/VMC/Ext/OK"), {1, 3, 0, 0}, "OK");
  EXPECT_EQ(vmc.size(), 2u);
  EXPECT_TRUE(body_vrchat(skeleton, estimate, 0).empty());
  EXPECT_FALSE(head_pose(skeleton, estimate));
}

TEST_F(BodyNetwork, TheFloorIsThePlaneOrUnderTheFeetAndSteady) {
  place();
  FloorLevel feet;
  const double level = feet.add(skeleton, estimate, std::nullopt);
  EXPECT_GT(level, joint("left_ankle").y + 0.03);  // the sole is below the ankle
  EXPECT_LT(level, joint("left_ankle").y + 0.12);
  // a jump of half a metre in one frame hardly moves it
  estimate.pose.position.y -= 0.5;
  place();
  EXPECT_NEAR(feet.add(skeleton, estimate, std::nullopt), level - 0.5 / 30, 1e-6);
  FloorLevel plane;
  EXPECT_NEAR(plane.add(skeleton, estimate, Plane{{0, -1, 0}, 1.2, true}), 1.2, 1e-12);
}

TEST_F(BodyNetwork, DatagramsFitAnEthernetFrame) {
  place();
  std::size_t messages = 0;
  for (const auto& bundle : osc_bundles(0, body_vmc(skeleton, estimate, 0))) {
    EXPECT_LE(bundle.size(), 1400u);
    for (std::size_t at = 16; at < bundle.size(); at += 4 + word_at(bundle, at)) ++messages;
  }
  EXPECT_EQ(messages, 24u);
}

TEST(FaceNetwork, SendsLandmarksInPixels) {
  face::Estimate face;
  face.found = true;
  face.confidence = 0.75;
  face.landmarks = {1.5f, 2, 3, 4.25f};
  const Read message = read(face_osc(9, {face, face}).at(1));
  EXPECT_EQ(message.address, "/kinema/face");
  EXPECT_EQ(std::get<int>(message.values.at(0)), 9);
  EXPECT_EQ(std::get<int>(message.values.at(1)), 1);
  EXPECT_EQ(std::get<float>(message.values.at(2)), 0.75f);
  EXPECT_EQ(std::get<float>(message.values.at(6)), 4.25f);
  EXPECT_EQ(read(face_osc(9, {}).at(0)).address, "/kinema/face/lost");
}

TEST(PoseNetwork, AnglesOfAHeadAreThoseOfABody) {
  // head_pose() takes them from the rotation of an avatar
  const Quaternion rotation = face::head_rotation(25, -12, 8);
  const std::array<double, 3> turn = euler_degrees(avatar_rotation(rotation));
  EXPECT_NEAR(turn[1], 25, 1e-9);
  EXPECT_NEAR(-turn[0], -12, 1e-9);
  EXPECT_NEAR(-turn[2], 8, 1e-9);
}

TEST(PoseNetwork, AnAvatarThatFacesTheCameraHasNoRotation) {
  face::HeadPose pose;
  pose.position = {0.1, 0.2, 0.6};
  pose.expression[0] = 0.5;
  const std::vector<OscMessage> messages = pose_vmc(pose, {-0.1, 1.5, -0.6}, 1.7, BlendShapes::arkit);
  const Read root = read(messages.at(1)), bone = read(messages.at(3)), jaw = read(messages.at(5)),
             apply = read(messages.back());
  EXPECT_EQ(root.address, "/VMC/Ext/Root/Pos");
  EXPECT_EQ(std::get<float>(root.values.at(2)), 0.0f);
  EXPECT_EQ(bone.address, "/VMC/Ext/Bone/Pos");
  EXPECT_EQ(std::get<std::string>(bone.values.at(0)), "Head");
  EXPECT_EQ(std::get<float>(bone.values.at(7)), 1.0f);
  EXPECT_EQ(jaw.address, "/VMC/Ext/Blend/Val");
  EXPECT_EQ(std::get<std::string>(jaw.values.at(0)), "jawOpen");
  EXPECT_EQ(std::get<float>(jaw.values.at(1)), 0.5f);
  EXPECT_EQ(apply.address, "/VMC/Ext/Blend/Apply");
  EXPECT_EQ(messages.size(), 6 + face::expression_names.size());
}

TEST(PoseNetwork, AnAvatarLooksAheadWhereThePersonLooksAtRest) {
  face::HeadPose pose;
  pose.rest_angles = {5, 12, -3};
  pose.rotation = face::head_rotation(5, 12, -3);
  const Read rest = read(pose_vmc(pose, {}, 1.7, BlendShapes::arkit).at(3));
  EXPECT_NEAR(std::get<float>(rest.values.at(7)), 1, 1e-6);
  // and turns as the person does
  pose.rotation = face::head_rotation(25, 12, -3);
  pose.rest_angles = {5, 0, -3};
  const auto angles = numbers(pose_vrchat(pose, {})).at("/tracking/trackers/head/rotation");
  EXPECT_NEAR(angles[1], 20, 1);
}

TEST(PoseNetwork, EyesAtRestAreAsHighAsThoseOfThePerson) {
  HeadLevel level(1.5);
  EXPECT_NEAR(level.place({0.1, 0.3, 0.6}, 0).y, 0.936 * 1.5, 1e-9);
  EXPECT_NEAR(level.place({0.1, 0.2, 0.6}, 0.1).y, 0.936 * 1.5 + 0.1, 1e-3);
  EXPECT_NEAR(level.place({0.1, 0.2, 0.6}, 0.2).x, -0.1, 1e-9);
}

TEST(BlendShapeNames, AreThoseOfVrm) {
  face::Expression expression{};
  expression[0] = 0.8;                      // jawOpen
  expression[4] = 1, expression[5] = 0.25;  // eyeBlinkLeft, eyeBlinkRight
  const auto weight = [&](BlendShapes names, std::string_view name) {
    for (const BlendShape& shape : blend_shapes(expression, names)) {
      if (shape.name == name) return shape.weight;
    }
    return -1.0;
  };
  EXPECT_EQ(weight(BlendShapes::arkit, "eyeBlinkLeft"), 1);
  EXPECT_EQ(weight(BlendShapes::vrm0, "Blink_L"), 1);
  EXPECT_EQ(weight(BlendShapes::vrm0, "Blink_R"), 0.25);
  EXPECT_EQ(weight(BlendShapes::vrm1, "blinkLeft"), 1);
  EXPECT_EQ(weight(BlendShapes::vrm0, "A"), 0.8);
  EXPECT_EQ(weight(BlendShapes::vrm1, "aa"), 0.8);
  EXPECT_EQ(weight(BlendShapes::vrm1, "oh"), 0);
  expression[3] = 1;  // mouthPucker: a round open mouth says o
  EXPECT_EQ(weight(BlendShapes::vrm1, "oh"), 0.8);
  EXPECT_EQ(weight(BlendShapes::vrm1, "aa"), 0);
  expression[0] = 0, expression[3] = 0, expression[1] = expression[2] = 0.6;
  EXPECT_EQ(weight(BlendShapes::vrm0, "Joy"), 0.6);
  EXPECT_EQ(weight(BlendShapes::vrm0, "I"), 0);  // a smile with a shut mouth says nothing
}

TEST(BlendShapeNames, GiveVowelsThatAddUpToOneAtMost) {
  for (double open : {0.0, 0.3, 1.0}) {
    for (double round : {0.0, 0.5, 1.0}) {
      for (double smile : {0.0, 0.5, 1.0}) {
        face::Expression expression{};
        expression[0] = open, expression[1] = expression[2] = smile, expression[3] = round;
        double sum = 0;
        for (const BlendShape& shape : blend_shapes(expression, BlendShapes::vrm0)) {
          EXPECT_GE(shape.weight, 0);
          EXPECT_LE(shape.weight, 1);
          if (shape.name.size() == 1) sum += shape.weight;
        }
        EXPECT_LE(sum, 1 + 1e-12);
      }
    }
  }
}

TEST(PoseNetwork, AFaceWithAPoseSendsBoth) {
  face::Estimate face;
  face.found = true;
  face.head.emplace().yaw = 10;
  const std::vector<OscMessage> messages = face_osc(9, {face, face});
  EXPECT_EQ(messages.size(), 2 * (2 + face::expression_names.size()));
  const Read pose = read(messages.at(1)), second = read(messages.at(2 + face::expression_names.size()));
  EXPECT_EQ(pose.address, "/kinema/face/0/pose");
  EXPECT_EQ(std::get<float>(pose.values.at(7)), 10.0f);
  EXPECT_EQ(second.address, "/kinema/face");
  EXPECT_EQ(std::get<int>(second.values.at(1)), 1);
}

TEST(HeadNetwork, SendsAPlaceToAvatarsAndVrchat) {
  const Receiver vmc, vrchat;
  HeadSender sender({.vmc = vmc.target(), .vrchat = vrchat.target(), .height = 2});
  sender.send(0, Vec3{0.25, -0.5, 1}, 1);
  const std::vector<std::byte> device = vmc.take(), head = vrchat.take();
  EXPECT_EQ(std::memcmp(device.data() + 20, "/VMC/Ext/Hmd/Pos\0\0\0\0,sfffffff\0\0\0kinema\0\0", 40), 0);
  const float expected[] = {-0.25f, 1.872f, -1, 0, 0, 0, 1};  // eyes are at 93.6 % of the height
  for (std::size_t i = 0; i < 7; ++i) EXPECT_EQ(std::bit_cast<float>(word_at(device, 60 + 4 * i)), expected[i]);
  EXPECT_EQ(std::memcmp(head.data(), "/tracking/trackers/head/position\0\0\0\0,fff\0\0\0\0", 44), 0);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(std::bit_cast<float>(word_at(head, 44 + 4 * i)), expected[i]);
}

TEST(UdpSocket, AReceiverThatNeverReadsDoesNotDelayTheSender) {
  const Receiver receiver;
  const UdpSocket socket(receiver.target());
  const std::vector<std::byte> bytes(1400);
  // more than any socket keeps; a sender that waited would never return
  for (int i = 0; i < 20000; ++i) socket.send(bytes);
}

TEST(UdpSocket, NobodyListeningIsNoError) {
  std::string target;
  { target = Receiver().target(); }
  const UdpSocket socket(target);
  const std::byte one[1] = {};
  for (int i = 0; i < 3; ++i) EXPECT_NO_THROW(socket.send(one));
}

TEST(UdpSocket, RefusesWhatIsNoReceiver) {
  for (const char* target :
       {"", "localhost", ":4242", "127.0.0.1:", "127.0.0.1:0", "127.0.0.1:70000", "127.0.0.1:x", "127.0.0.1:42 42"}) {
    EXPECT_THROW(UdpSocket{target}, Error) << target;
  }
}

}  // namespace
}  // namespace kinema::io
