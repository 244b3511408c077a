// Files over HTTP: taken, refused, and given back.
#include "client.h"
#include "serve/server.h"
#include "serve/uploads.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

namespace kinema::serve {
namespace {

class UploadHttp : public ::testing::Test {
protected:
  static ServerSettings any_port() {
    ServerSettings settings;
    settings.port = 0;
    return settings;
  }

  static UploadLimits small() {
    UploadLimits limits;
    limits.file_bytes = 100000;
    return limits;
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
  EXPECT_EQ(status("/upload/" + std::string(32, '0') + "/a", "x"), 413) << "no such job";
  EXPECT_EQ(status("/upload/" + job_ + "/../../a", "x"), 400);
  EXPECT_EQ(status("/upload/" + job_ + "/a", std::string(100001, 'x')), 413);
  EXPECT_EQ(status("/upload/" + job_ + "/a", "x", "Origin: http://example.com\r\n"), 403);
  EXPECT_EQ(status("/index.html", "x"), 413);
  EXPECT_EQ(Client(server_.port()).get("/upload/" + job_ + "/a").status, 411);
  Client chunked(server_.port());
  chunked.send("PUT /upload/" + job_ + "/a HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n");
  EXPECT_EQ(chunked.receive().status, 411);
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
