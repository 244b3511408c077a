#include "serve/server.h"
#include "client.h"
#include "kinema/error.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>

namespace kinema::serve {
namespace {

constexpr std::array<Page, 2> pages = {{{"/index.html", "text/html; charset=utf-8", "<p>kinema</p>"},
                                        {"/assets/main.js", "text/javascript; charset=utf-8", "1"}}};

ServerSettings any_port() {
  ServerSettings settings;
  settings.port = 0;
  settings.token = false;
  return settings;
}

TEST(Server, ServesItsPages) {
  Hub hub;
  const Server server(any_port(), pages, hub);
  Client client(server.port());
  const Client::Response page = client.get("/");
  EXPECT_EQ(page.status, 200);
  EXPECT_EQ(page.body, "<p>kinema</p>");
  EXPECT_NE(page.head.find("text/html"), std::string::npos);
  EXPECT_NE(page.head.find("nosniff"), std::string::npos);
  // on the same connection
  EXPECT_EQ(client.get("/assets/main.js").body, "1");
  EXPECT_EQ(client.get("/assets/other.js").status, 404);
  EXPECT_EQ(client.get("/").status, 200);
}

TEST(Server, SaysWhereItIs) {
  Hub hub;
  const Server server(any_port(), pages, hub);
  EXPECT_EQ(server.url(), fmt::format("http://127.0.0.1:{}/", server.port()));
}

TEST(Server, RefusesAPortThatIsTaken) {
  Hub hub;
  const Server server(any_port(), pages, hub);
  ServerSettings same;
  same.port = server.port();
  EXPECT_THROW(Server(same, pages, hub), Error);
  same.address = "here";
  EXPECT_THROW(Server(same, pages, hub), Error);
}

TEST(Server, TellsAPageOfFrames) {
  Hub hub;
  Channel& channel = hub.channel("body");
  channel.open(Packet::text("opening"));
  const Server server(any_port(), pages, hub);
  Client client(server.port());
  ASSERT_EQ(client.upgrade().status, 101);
  EXPECT_EQ(nlohmann::json::parse(client.receive_frame().payload)["say"], "hello");
  client.send_frame(Client::text, R"({"do":"follow","channel":"body"})");
  EXPECT_EQ(client.receive_frame().payload, "opening");
  EXPECT_EQ(nlohmann::json::parse(client.receive_frame().payload)["say"], "state");
  const std::string large(300000, 'x');
  for (int i = 0; i < 5; ++i) {
    channel.publish({std::make_shared<const std::string>(large), true});
    const Client::Frame frame = client.receive_frame();
    EXPECT_EQ(frame.opcode, Client::binary);
    EXPECT_EQ(frame.payload.size(), large.size());
  }
}

TEST(Server, APageThatDoesNotReadNeverMakesTheTrackerWait) {
  Hub hub(std::size_t{8} << 20);
  Channel& channel = hub.channel("body");
  const Server server(any_port(), pages, hub);
  Client stalled(server.port()), reading(server.port());
  for (Client* client : {&stalled, &reading}) {
    ASSERT_EQ(client->upgrade().status, 101);
    client->receive_frame();
    client->send_frame(Client::text, R"({"do":"follow","channel":"body"})");
    client->receive_frame();
  }
  // far more than sockets hold: were a frame to wait for the stalled page, this would not end
  const auto frame = std::make_shared<const std::string>(std::size_t{1} << 20, 'x');
  for (int i = 0; i < 300; ++i) channel.publish({frame, true});
  EXPECT_EQ(reading.receive_frame().payload.size(), frame->size());
  EXPECT_GT(hub.counts().skipped, 100U);
  EXPECT_LE(channel.state().end - channel.state().first, 8U);
}

TEST(Server, HangsUpOnEverybodyWhenItEnds) {
  Hub hub;
  auto server = std::make_unique<Server>(any_port(), pages, hub);
  Client client(server->port());
  ASSERT_EQ(client.upgrade().status, 101);
  client.receive_frame();
  server.reset();
  EXPECT_TRUE(client.hung_up());
}

// Also on this machine, which may have other users.
TEST(Server, EveryRequestNeedsTheToken) {
  for (const char* address : {"127.0.0.1", "0.0.0.0"}) {
    SCOPED_TRACE(address);
    Hub hub;
    ServerSettings settings;
    settings.port = 0;
    settings.address = address;
    const Server server(settings, pages, hub);
    const std::string url = server.url(), token = url.substr(url.find("/?token=") + 8);
    ASSERT_EQ(token.size(), 32U);
    const std::string wrong = (token.front() == '0' ? "1" : "0") + token.substr(1);
    const std::string name = fmt::format("kinema_token_{}", server.port());

    const Client::Response without = Client(server.port()).get("/");
    EXPECT_EQ(without.status, 403);
    EXPECT_NE(without.head.find("text/plain"), std::string::npos);
    EXPECT_NE(without.body.find("Open the whole address that kinema printed"), std::string::npos) << without.body;
    EXPECT_EQ(without.body.find(token), std::string::npos);
    EXPECT_EQ(Client(server.port()).get("/?token=" + wrong).status, 403);
    EXPECT_EQ(Client(server.port()).get("/?token=").status, 403);
    EXPECT_EQ(Client(server.port()).get("/assets/main.js", "Cookie: " + name + "=" + wrong + "\r\n").status, 403);
    EXPECT_EQ(Client(server.port()).upgrade().status, 403);
    EXPECT_EQ(Client(server.port()).upgrade("", "localhost", "/live?token=" + wrong).status, 403);
    EXPECT_EQ(server.counts().unauthorised, 6U);

    const Client::Response page = Client(server.port()).get("/?token=" + token);
    EXPECT_EQ(page.status, 200);
    EXPECT_NE(page.head.find(name + "=" + token), std::string::npos) << page.head;
    EXPECT_NE(page.head.find("HttpOnly; SameSite=Strict"), std::string::npos);
    const std::string cookie = "Cookie: " + name + "=" + token + "\r\n";
    EXPECT_EQ(Client(server.port()).get("/assets/main.js", cookie).status, 200);
    EXPECT_EQ(Client(server.port()).upgrade(cookie).status, 101);
    EXPECT_EQ(Client(server.port()).upgrade("", "localhost", "/live?token=" + token).status, 101);
    // which does not let a page of somebody else in
    EXPECT_EQ(Client(server.port()).upgrade(cookie + "Origin: http://example.com\r\n").status, 403);
  }
}

TEST(Server, OnlyThisMachineMayDoWithoutTheToken) {
  Hub hub;
  ServerSettings settings = any_port();
  settings.address = "0.0.0.0";
  EXPECT_THROW(Server(settings, pages, hub), Error);
}

TEST(Server, AtAnotherAddressAnyNameOfThisMachineWillDo) {
  Hub hub;
  ServerSettings settings;
  settings.port = 0;
  settings.address = "0.0.0.0";
  const Server server(settings, pages, hub);
  const std::string url = server.url(), target = url.substr(url.find("/?token="));
  EXPECT_EQ(Client(server.port()).get(target, "", "laptop").status, 200);
  ServerSettings local;
  local.port = 0;
  const Server other(local, pages, hub);
  const std::string its = other.url();
  EXPECT_EQ(Client(other.port()).get(its.substr(its.find("/?token=")), "", "laptop").status, 403);
}

}  // namespace
}  // namespace kinema::serve
