#include "serve/access.h"

#include <gtest/gtest.h>

namespace kinema::serve {
namespace {

TEST(Access, PathsAreOfPlainNamesAlone) {
  EXPECT_EQ(parse_target("/")->path, "/");
  EXPECT_EQ(parse_target("/assets/index-D8_x.js")->path, "/assets/index-D8_x.js");
  for (const char* target : {"", "index.html", "/../etc/passwd", "/..", "/.", "/a/../b", "/a//b", "//host/x", "/a/.b",
                             "/a.", "/%2e%2e/x", "/a\\b", "/a b", "/\xff", "http://other/"}) {
    EXPECT_FALSE(parse_target(target)) << target;
  }
  EXPECT_FALSE(parse_target("/" + std::string(2000, 'a')));
}

TEST(Access, TheTokenIsReadFromTheQuery) {
  EXPECT_EQ(parse_target("/?token=abc")->token, "abc");
  EXPECT_EQ(parse_target("/x?a=1&token=abc&b")->token, "abc");
  EXPECT_EQ(parse_target("/x?a=1&&")->token, "");
  EXPECT_EQ(parse_target("/x?xtoken=abc")->token, "");
}

TEST(Access, TheTokenIsReadFromItsCookie) {
  EXPECT_EQ(cookie("a=1; kinema_token=abc; b=2", "kinema_token"), "abc");
  EXPECT_EQ(cookie("xkinema_token=abc", "kinema_token"), "");
  EXPECT_EQ(cookie("kinema_token", "kinema_token"), "");
  EXPECT_EQ(cookie("", "kinema_token"), "");
}

TEST(Access, SecretsAreEqualOrNot) {
  EXPECT_TRUE(same_secret("abc", "abc"));
  EXPECT_FALSE(same_secret("abd", "abc"));
  EXPECT_FALSE(same_secret("ab", "abc"));
  EXPECT_FALSE(same_secret("", "abc"));
}

TEST(Access, TokensAreLongAndDiffer) {
  EXPECT_EQ(make_token().size(), 32U);
  EXPECT_NE(make_token(), make_token());
}

TEST(Access, OnlyNamesOfThisMachineNameIt) {
  for (const char* host : {"localhost", "LOCALHOST:8080", "127.0.0.1:8080", "127.1.2.3", "[::1]:8080", "[::1]"}) {
    EXPECT_TRUE(names_this_machine(host)) << host;
  }
  for (const char* host :
       {"", "example.com", "127.0.0.1.example.com", "localhost.example.com", "[::2]", "[", "10.0.0.1"}) {
    EXPECT_FALSE(names_this_machine(host)) << host;
  }
}

TEST(Access, AnOriginIsThatOfTheHostThatIsAsked) {
  EXPECT_TRUE(same_origin("", "localhost:8080"));
  EXPECT_TRUE(same_origin("http://localhost:8080", "localhost:8080"));
  EXPECT_FALSE(same_origin("http://localhost:9090", "localhost:8080"));
  EXPECT_FALSE(same_origin("http://example.com", "localhost:8080"));
  EXPECT_FALSE(same_origin("null", "localhost:8080"));
}

}  // namespace
}  // namespace kinema::serve
