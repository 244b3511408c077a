// Files over HTTP: taken, refused, and given back.
#include "client.h"
#include "serve/server.h"
#include "serve/uploads.h"

#include <gtest/gtest.h>

#include <sys/resource.h>

#include <csignal>
#include <fstream>
#include <iterator>
#include <thread>

namespace kinema::serve {
namespace {

class UploadHttp : public ::testing::Test {
protected:
  static ServerSettings any_port() {
    ServerSettings settings;
    settings.port = 0;
    settings.token = false;
    return settings;
  }

  static UploadLimits small() {
    UploadLimits limits;
    limits.file_bytes = 100000;
    return limits;
  }

  Client::Response put(Client&& client, const std::string& target, const std::string& body) {
    return put(client, target, body);
  }

  Client::Response put(Client& client, const std::string& target, const std::string& body,
                       const std::string& more = "") {
    client.send("PUT " + target + " HTTP/1.1\r\nHost: localhost\r\n" + more +
                "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
    return client.receive();
  }

  Hub hub_;
  Uploads uploads_{small()};
  std::string job_ = uploads_.open();
  Server server_{any_port(), {}, hub_, {}, &uploads_};
};

TEST_F(UploadHttp, AFileArrivesWholeAndMoreOnTheSameConnection) {
  Client client(server_.port());
  const std::string bytes(50000, 'x');
  EXPECT_EQ(put(client, "/upload/" + job_ + "/depth/a.png", bytes).status, 201);
  EXPECT_EQ(put(client, "/upload/" + job_ + "/depth/b.png", "").status, 201);
  std::ifstream file(uploads_.input_folder(job_) / "depth" / "a.png", std::ios::binary);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), bytes);
}

TEST_F(UploadHttp, WhatIsNotWantedIsRefused) {
  const auto status = [&](const std::string& target, const std::string& body, const std::string& more = "") {
    Client client(server_.port());
    return put(client, target, body, more).status;
  };
  EXPECT_EQ(status("/upload/" + std::string(32, '0') + "/a", "x"), 404) << "no such job";
  for (const char* name :
       {"/../../a", "/..", "/a/../b", "/%2e%2e/a", "//etc/passwd", "/.hidden", "/a\\b", "/a/b/.", "/a b"}) {
    EXPECT_EQ(status("/upload/" + job_ + name, "x"), 400) << name;
  }
  EXPECT_EQ(status("/upload/" + job_ + "/a/b/c/d", "x"), 413) << "too deep, so no upload";
  EXPECT_EQ(status("/upload/" + job_ + "/a", "x", "Origin: http://example.com\r\n"), 403);
  EXPECT_EQ(status("/index.html", "x"), 413);
  EXPECT_EQ(Client(server_.port()).get("/upload/" + job_ + "/a").status, 411);
  Client chunked(server_.port());
  chunked.send("PUT /upload/" + job_ + "/a HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n");
  EXPECT_EQ(chunked.receive().status, 411);
}

TEST_F(UploadHttp, OneWhoSendsTooMuchIsToldSo) {
  // far more than sockets hold, so that the answer comes while it still sends
  Client client(server_.port());
  client.send("PUT /upload/" + job_ + "/a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000000000\r\n\r\n");
  const std::string piece(100000, 'x');
  for (int i = 0; i < 200 && client.send(piece); ++i) {
  }
  EXPECT_EQ(client.receive().status, 413);
  EXPECT_TRUE(client.hung_up());
}

TEST_F(UploadHttp, AFileThatBreaksOffIsNotThere) {
  Client client(server_.port());
  client.send("PUT /upload/" + job_ + "/a.png HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\nhalf of it");
  client.finish();
  EXPECT_EQ(client.receive().status, 400);
  EXPECT_TRUE(std::filesystem::is_empty(uploads_.input_folder(job_)));
  EXPECT_EQ(put(Client(server_.port()), "/upload/" + job_ + "/a.png", "all of it").status, 201);
}

TEST_F(UploadHttp, OneWhoTakesTooLongIsStopped) {
  ServerSettings hasty = any_port();
  hasty.limits.upload = std::chrono::minutes(0);
  const Server server(hasty, {}, hub_, {}, &uploads_);
  Client client(server.port());
  client.send("PUT /upload/" + job_ + "/a.png HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\nhalf of it");
  EXPECT_TRUE(client.hung_up());
  EXPECT_TRUE(std::filesystem::is_empty(uploads_.input_folder(job_)));
}

TEST_F(UploadHttp, MoreThanTheLengthIsNoPartOfTheFile) {
  Client client(server_.port());
  client.send("PUT /upload/" + job_ + "/a.png HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\nabcdef\r\n\r\n");
  EXPECT_EQ(client.receive().status, 201);
  EXPECT_EQ(client.receive().status, 400) << "which is not a request";
  EXPECT_EQ(std::filesystem::file_size(uploads_.input_folder(job_) / "a.png"), 3U);
}

TEST_F(UploadHttp, AFullDiskIsToldAndLeavesNoFile) {
  // no file of this program may grow beyond 4096 bytes, which writing meets as it meets a full disk
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit small{4096, before.rlim_max};
  const auto old = std::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  Client client(server_.port());
  const int status = put(client, "/upload/" + job_ + "/a.png", std::string(50000, 'x')).status;
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, old);
  EXPECT_EQ(status, 507);
  EXPECT_TRUE(std::filesystem::is_empty(uploads_.input_folder(job_)));
}

TEST_F(UploadHttp, AJobThatEndsWhileItsFileComesTakesItAlong) {
  Client client(server_.port());
  client.send("PUT /upload/" + job_ + "/a.png HTTP/1.1\r\nHost: localhost\r\nContent-Length: 6\r\n\r\nabc");
  EXPECT_EQ(put(Client(server_.port()), "/upload/" + job_ + "/b.png", "x").status, 201);  // so the first has begun
  uploads_.close(job_);
  client.send("def");
  EXPECT_GE(client.receive().status, 400);
}

// Longer than a request may take: the deadline is that of a piece.
TEST_F(UploadHttp, OneWhoTakesALongResultSlowlyGetsAllOfIt) {
  ServerSettings hasty = any_port();
  hasty.limits.request = std::chrono::seconds(1);
  const Server server(hasty, {}, hub_, {}, &uploads_);
  // more than sockets hold
  const std::filesystem::path result = uploads_.result_folder(job_) / "poses.jsonl";
  std::ofstream(result) << "x";
  std::filesystem::resize_file(result, std::uintmax_t{40} << 20);
  Client client(server.port(), 4096);
  client.send("GET /result/" + job_ + "/poses.jsonl HTTP/1.1\r\nHost: localhost\r\n\r\n");
  std::this_thread::sleep_for(std::chrono::milliseconds(1500));
  EXPECT_EQ(client.receive().body.size(), std::size_t{40} << 20);
}

TEST_F(UploadHttp, ResultsAreGivenBack) {
  std::ofstream(uploads_.result_folder(job_) / "poses.csv") << "frame";
  Client client(server_.port());
  EXPECT_EQ(client.get("/result/" + job_ + "/poses.csv").body, "frame");
  EXPECT_EQ(client.get("/result/" + job_ + "/other.csv").status, 404);
  EXPECT_EQ(client.get("/result/" + job_ + "/poses.csv").body, "frame");
}

}  // namespace
}  // namespace kinema::serve
