// Clients that mean no good: each is refused, and a page that behaves is served meanwhile and afterwards.
#include "client.h"
#include "serve/server.h"

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <thread>
#include <vector>

namespace kinema::serve {
namespace {

constexpr std::array<Page, 1> pages = {{{"/index.html", "text/html; charset=utf-8", "<p>kinema</p>"}}};

ServerSettings small_limits() {
  ServerSettings settings;
  settings.port = 0;
  settings.token = false;
  settings.limits.connections = 8;
  settings.limits.message_bytes = 100000;
  settings.limits.close = std::chrono::milliseconds(20);
  return settings;
}

class HostileClient : public ::testing::Test {
protected:
  ~HostileClient() override {
    Client good(server_.port());
    EXPECT_EQ(good.get("/").status, 200);
    Client page(server_.port());
    EXPECT_EQ(page.upgrade().status, 101);
    EXPECT_EQ(page.receive_frame().opcode, Client::text);
  }

  std::unique_ptr<Client> connected() {
    auto client = std::make_unique<Client>(server_.port());
    EXPECT_EQ(client->upgrade().status, 101);
    EXPECT_EQ(client->receive_frame().opcode, Client::text);
    return client;
  }

  Hub hub_;
  Channel& channel_ = hub_.channel("body");
  Server server_{small_limits(), pages, hub_};
};

TEST_F(HostileClient, LeavesThePagesByNoPath) {
  for (const char* target : {"/../../etc/passwd", "/..%2f..%2fetc/passwd", "/%2e%2e/etc/passwd", "//etc/passwd",
                             "/index.html/../../x", "/..\\..\\x", "http://elsewhere/", "*", "/index.html%00.js"}) {
    const int status = Client(server_.port()).get(target).status;
    EXPECT_TRUE(status == 400 || status == 404) << target << ": " << status;
  }
}

TEST_F(HostileClient, SendsAHeaderThatNeverEnds) {
  Client client(server_.port());
  client.send("GET / HTTP/1.1\r\nHost: localhost\r\n");
  const std::string line = "X-More: " + std::string(1000, 'a') + "\r\n";
  for (int i = 0; i < 1000 && client.send(line); ++i) {
  }
  EXPECT_TRUE(client.hung_up());
}

TEST_F(HostileClient, SendsABody) {
  Client client(server_.port());
  client.send("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000000000\r\n\r\n");
  EXPECT_EQ(client.receive().status, 413);
  EXPECT_EQ(Client(server_.port()).get("/", "Content-Length: 5\r\n").status, 413);
}

TEST_F(HostileClient, SaysWhatIsNoRequest) {
  for (const std::string& bytes :
       {std::string("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 11), std::string("hello\r\n\r\n"),
        std::string("GET / HTTP/9.9\r\n\r\n"), std::string(10000, '\0')}) {
    Client client(server_.port());
    client.send(bytes);
    const int status = client.receive().status;
    EXPECT_TRUE(status == 0 || (status >= 400 && status < 500)) << status;
  }
  EXPECT_EQ(Client(server_.port()).get("/live").status, 404) << "no upgrade";
}

TEST_F(HostileClient, ChangesWhatIsOnlyRead) {
  for (const char* method : {"PUT", "DELETE", "POST", "TRACE", "CONNECT"}) {
    Client client(server_.port());
    client.send(std::string(method) + " / HTTP/1.1\r\nHost: localhost\r\n\r\n");
    EXPECT_EQ(client.receive().status, 405) << method;
  }
}

TEST_F(HostileClient, IsAPageOfSomebodyElse) {
  EXPECT_EQ(Client(server_.port()).upgrade("Origin: http://example.com\r\n").status, 403);
  EXPECT_EQ(Client(server_.port()).upgrade("Origin: null\r\n").status, 403);
  EXPECT_EQ(Client(server_.port()).upgrade("Origin: http://localhost:1\r\n", "localhost:2").status, 403);
  EXPECT_EQ(Client(server_.port()).upgrade("", "example.com").status, 403) << "a name that was made to lead here";
  EXPECT_EQ(Client(server_.port()).get("/", "", "example.com").status, 403);
  EXPECT_EQ(Client(server_.port()).upgrade("Origin: http://localhost:2\r\n", "localhost:2").status, 101);
  EXPECT_EQ(server_.counts().unauthorised, 5U);
}

TEST_F(HostileClient, ComesHundredsOfTimes) {
  std::vector<std::unique_ptr<Client>> crowd;
  crowd.reserve(300);
  for (int i = 0; i < 300; ++i) crowd.push_back(std::make_unique<Client>(server_.port()));
  // the oldest give way to those that come; once the last of them has, all were seen
  EXPECT_TRUE(crowd[291]->hung_up());
  while (server_.counts().open > 8) std::this_thread::yield();
  EXPECT_EQ(server_.counts().refused, 292U);
  // the slots are free again when their holders are gone
  for (auto& client : crowd) client->send("x\r\n\r\n");
  for (auto& client : crowd) EXPECT_TRUE(client->hung_up());
}

// Many connections that never say a word: whoever may be here is served at once, and stays.
TEST_F(HostileClient, SaysNothing) {
  const auto page = connected();
  std::vector<std::unique_ptr<Client>> idle;
  for (int i = 0; i < 20; ++i) {
    idle.push_back(std::make_unique<Client>(server_.port()));
    EXPECT_EQ(Client(server_.port()).get("/").status, 200) << i;
  }
  const auto other = connected();
  EXPECT_TRUE(idle.front()->hung_up());
  channel_.publish(Packet::text("frame"));
  for (const auto& one : {page.get(), other.get()}) {
    one->send_frame(Client::text, R"({"do":"follow","channel":"body","live":false})");
    EXPECT_EQ(one->receive_frame().opcode, Client::text);
  }
}

// Those of another address are not hung up on because of them.
TEST_F(HostileClient, SaysNothingFromOneAddress) {
  Client slow(server_.port(), 0, "127.0.0.2");
  std::vector<std::unique_ptr<Client>> idle;
  for (int i = 0; i < 20; ++i) idle.push_back(std::make_unique<Client>(server_.port()));
  EXPECT_TRUE(idle[12]->hung_up());
  EXPECT_EQ(slow.get("/").status, 200);
}

// Nobody who may be here gives way.
TEST_F(HostileClient, ComesWhereAllAreKnown) {
  std::vector<std::unique_ptr<Client>> known;
  for (int i = 0; i < 8; ++i) known.push_back(connected());
  EXPECT_TRUE(Client(server_.port()).hung_up());
  EXPECT_EQ(server_.counts().refused, 1U);
  for (const auto& one : known) {
    one->send_frame(Client::text, R"({"do":"follow","channel":"body","live":false})");
    EXPECT_EQ(one->receive_frame().opcode, Client::text);
  }
  known.clear();
  while (server_.counts().open > 0) std::this_thread::yield();
}

TEST_F(HostileClient, SendsAMessageThatIsTooLarge) {
  const auto client = connected();
  client->send_frame_head(Client::binary, std::uint64_t{1} << 40);
  EXPECT_TRUE(client->hung_up());
}

TEST_F(HostileClient, SendsAMessageThatNeverEnds) {
  const auto client = connected();
  client->send_frame(Client::binary, std::string(1000, 'x'), false);
  bool sent = true;
  for (int i = 0; i < 1000 && sent; ++i) sent = client->send_frame(Client::continued, std::string(1000, 'x'), false);
  EXPECT_TRUE(client->hung_up());
}

TEST_F(HostileClient, BreaksTheRulesOfWebSockets) {
  for (int trick = 0; trick < 5; ++trick) {
    const auto client = connected();
    switch (trick) {
      case 0:
        client->send(std::string("\x81\x01x", 3));
        break;  // without a mask
      case 1:
        client->send(std::string("\xf1\x80\0\0\0\0", 6));
        break;  // reserved bits
      case 2:
        client->send(std::string("\x83\x80\0\0\0\0", 6));
        break;  // an opcode that there is not
      case 3:
        client->send_frame(Client::text, "\xff\xfe");
        break;  // no UTF-8
      default:
        client->send_frame(Client::continued, "x");
        break;  // goes on with nothing
    }
    EXPECT_TRUE(client->hung_up()) << trick;
  }
}

TEST_F(HostileClient, SendsRequestsThatAreNone) {
  for (const std::string& request :
       {std::string("x"), std::string("[[[[[[[["), std::string(50000, '['), std::string("{}")}) {
    const auto client = connected();
    client->send_frame(Client::text, request);
    EXPECT_EQ(nlohmann::json::parse(client->receive_frame().payload)["say"], "error");
    EXPECT_EQ(client->receive_frame().opcode, Client::close);
    EXPECT_TRUE(client->hung_up());
  }
  const auto client = connected();
  client->send_frame(Client::binary, std::string("\xff\xff\xff\x7f", 4));
  EXPECT_EQ(nlohmann::json::parse(client->receive_frame().payload)["say"], "error");
  EXPECT_TRUE(client->hung_up());
}

TEST_F(HostileClient, AsksWithoutEverReading) {
  Client client(server_.port(), 4096);
  ASSERT_EQ(client.upgrade().status, 101);
  // until the answers fill what the system keeps of them
  bool sent = true;
  for (int i = 0; i < 1000000 && sent; ++i) sent = client.send_frame(Client::text, R"({"do":"fly"})");
  channel_.publish(Packet::text("frame"));  // which waits for nobody
  EXPECT_FALSE(sent);
}

}  // namespace
}  // namespace kinema::serve
