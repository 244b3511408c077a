#include "serve/page_session.h"
#include "kinema/error.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace kinema::serve {
namespace {

class PageSessionTest : public ::testing::Test {
protected:
  PageSessionTest() {
    session_.emplace(hub_, nullptr, [this] { ++woken_; });
  }

  void publish(int count, std::size_t padding = 0) {
    for (int i = 0; i < count; ++i) {
      channel_.publish(Packet::text(fmt::format("frame {}{}", channel_.next_index(), std::string(padding, ' '))));
    }
  }

  // What comes next, without the blanks at its end; "" where there is nothing.
  std::string next() {
    const auto packet = session_->next();
    if (!packet) return "";
    const std::string& text = *packet->bytes;
    return text.substr(0, text.find_last_not_of(' ') + 1);
  }
  void drain() {
    while (session_->next()) {
    }
  }

  Hub hub_;
  Channel& channel_ = hub_.channel("body");
  int woken_ = 0;
  std::optional<PageSession> session_;
};

TEST_F(PageSessionTest, StartsWithHello) {
  const auto hello = nlohmann::json::parse(next());
  EXPECT_EQ(hello["say"], "hello");
  EXPECT_EQ(hello["channels"], nlohmann::json::array({"body"}));
  EXPECT_EQ(next(), "");
}

TEST_F(PageSessionTest, APageThatFollowsGetsTheOpeningAndTheNewestFrame) {
  channel_.open(Packet::text("opening"));
  publish(3);
  drain();
  session_->received_text(R"({"do":"follow","channel":"body"})");
  EXPECT_EQ(next(), "opening");
  EXPECT_EQ(next(), "frame 2");
  EXPECT_EQ(nlohmann::json::parse(next())["end"], 3);
  EXPECT_EQ(next(), "");
  publish(1);
  EXPECT_EQ(next(), "frame 3");
  channel_.finish();
  EXPECT_EQ(nlohmann::json::parse(next())["finished"], true);
  EXPECT_EQ(next(), "");
}

TEST_F(PageSessionTest, ASlowPageGetsTheNewestFrameAndTheOthersAreCounted) {
  session_->received_text(R"({"do":"follow","channel":"body"})");
  publish(1);
  drain();
  publish(1000);
  EXPECT_EQ(next(), "frame 1000");
  EXPECT_EQ(next(), "");
  EXPECT_EQ(hub_.counts().skipped, 999U);
  EXPECT_EQ(hub_.counts().sent, 2U);
}

TEST_F(PageSessionTest, APageIsWokenOnceForAllThatItMisses) {
  session_->received_text(R"({"do":"follow","channel":"body"})");
  drain();
  const int before = woken_;
  publish(1000);
  EXPECT_EQ(woken_, before + 1);
}

TEST_F(PageSessionTest, APageLooksBackAndGoesOn) {
  publish(10);
  session_->received_text(R"({"do":"follow","channel":"body"})");
  drain();
  session_->received_text(R"({"do":"seek","channel":"body","index":4})");
  session_->received_text(R"({"do":"seek","channel":"body","index":5})");
  EXPECT_EQ(next(), "frame 5") << "the newest request wins";
  drain();
  publish(1);
  EXPECT_EQ(nlohmann::json::parse(next())["end"], 11) << "a page that looks back is told how many there are";
  session_->received_text(R"({"do":"follow","channel":"body"})");
  EXPECT_EQ(next(), "frame 10");
}

TEST_F(PageSessionTest, APageThatComesLateIsToldWhatTheFramesSaid) {
  const auto history = [&] {
    session_->received_text(R"({"do":"history","channel":"body"})");
    return nlohmann::json::parse(next());
  };
  drain();
  EXPECT_EQ(history()["frames"], nlohmann::json::array());
  const auto add = [&](int count) {
    const std::vector<float> values(100);
    for (int i = 0; i < count; ++i) {
      const ArrayPart part = array_part<float>("values", values, {100});
      channel_.publish(Packet::arrays(encode({{"index", channel_.next_index()}, {"ess", 0.5 * i}}, {&part, 1})));
    }
  };
  add(2);
  channel_.begin();  // another run
  add(3);
  const nlohmann::json told = history();
  EXPECT_EQ(told["say"], "history");
  EXPECT_EQ(told["channel"], "body");
  EXPECT_EQ(told["frames"],
            nlohmann::json::parse(R"([{"index":2,"ess":0.0},{"index":3,"ess":0.5},{"index":4,"ess":1.0}])"));
  add(2000);
  const nlohmann::json of_many = history()["frames"];
  EXPECT_LE(of_many.size(), 600u);
  EXPECT_GE(of_many.size(), 300u);
}

TEST_F(PageSessionTest, AFrameThatIsGoneIsAnsweredByWhatThereIs) {
  session_->received_text(R"({"do":"follow","channel":"body"})");
  drain();
  session_->received_text(R"({"do":"seek","channel":"body","index":400})");
  EXPECT_EQ(nlohmann::json::parse(next())["say"], "state");
}

TEST_F(PageSessionTest, RequestsThatMakeNoSenseAreAnsweredByAnError) {
  drain();
  for (const char* request : {R"({"do":"fly"})", R"({"do":"follow","channel":"none"})", R"({"do":"follow"})",
                              R"({"do":"follow","channel":3})", R"({"do":"history","channel":"none"})",
                              R"({"do":"seek","channel":"body","index":1})"}) {
    session_->received_text(request);
    EXPECT_EQ(nlohmann::json::parse(next())["say"], "error") << request;
    EXPECT_FALSE(session_->broken()) << request;
  }
  session_->received_text(R"({"do":"follow","channel":"body"})");
  session_->received_text(R"({"do":"seek","channel":"body","index":"x"})");
  EXPECT_EQ(nlohmann::json::parse(next())["say"], "error");
}

TEST_F(PageSessionTest, WhatIsNoWishEndsIt) {
  for (const std::string& text : {std::string("x"), std::string("[]"), std::string("{}"), std::string(R"({"do":1})"),
                                  "{\"do\":\"" + std::string(100000, 'a') + "\"}"}) {
    PageSession session(hub_, nullptr, [] {});
    session.received_text(text);
    EXPECT_TRUE(session.broken()) << text.substr(0, 20);
  }
  PageSession session(hub_, nullptr, [] {});
  session.received_message("\xff\xff\xff\xff");
  EXPECT_TRUE(session.broken());
}

TEST_F(PageSessionTest, APageThatNeverReadsItsRepliesIsHungUpOn) {
  for (int i = 0; i < 100; ++i) session_->received_text(R"({"do":"fly"})");
  EXPECT_TRUE(session_->broken());
  int kept = 0;
  while (session_->next()) ++kept;
  EXPECT_LE(kept, 32);
}

TEST_F(PageSessionTest, OfAStreamOfAnswersTheNewestIsSent) {
  drain();
  for (int i = 0; i < 50; ++i) session_->newest("head", Packet::text(fmt::format("answer {}", i)));
  EXPECT_EQ(next(), "answer 49");
  EXPECT_EQ(next(), "");
  EXPECT_EQ(hub_.counts().skipped, 49U);
}

TEST_F(PageSessionTest, ChannelsTakeTurns) {
  Channel& other = hub_.channel("head");
  session_->received_text(R"({"do":"follow","channel":"body"})");
  session_->received_text(R"({"do":"follow","channel":"head"})");
  drain();
  for (int i = 0; i < 2; ++i) {
    publish(1);
    other.publish(Packet::text("other"));
    const std::string first = next();
    publish(1);  // more of one does not keep the other from its turn
    const std::string second = next();
    EXPECT_TRUE((first == "other") != (second == "other"));
    drain();
  }
}

}  // namespace
}  // namespace kinema::serve
