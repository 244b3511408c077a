// What goes to opentrack and to OSC receivers, byte by byte, and through a socket.
#include "io/head_network.h"

#include "kinema/error.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <bit>
#include <cstring>
#include <string>

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
  OpentrackSink sink(receiver.target());
  sink.add({0.05, -0.02, 0.6}, 0);
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
  OpentrackSink sink(receiver.target(), true);
  sink.add({0.05, -0.02, 0.6}, 1763200000.25);
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
  OscSink sink(receiver.target());
  sink.add(1.5, Vec3{0.25, -0.5, 1}, 0.75);
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
  const std::vector<std::byte> bytes = osc_bundle(0, std::nullopt, 0);
  EXPECT_EQ(bytes.size() % 4, 0u);
  EXPECT_EQ(std::memcmp(bytes.data() + 20, "/kinema/head/lost\0\0\0,\0\0\0", 24), 0);
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
