#include "serve/job_partner.h"
#include "kinema/error.h"
#include "listener.h"

#include <gtest/gtest.h>

#include <fstream>

namespace kinema::serve {
namespace {

TEST(JobPartner, AJobIsDoneAndItsResultsAreNamed) {
  Uploads uploads;
  JobDesk desk(uploads, [](Job& job) {
    EXPECT_EQ(job.kind, "body");
    job.progress(1, 2);
    job.progress(2, 2);
    std::ofstream(job.results / "poses.csv") << "x";
  });
  Listener page;
  JobPartner partner(page, desk);
  EXPECT_TRUE(partner.wish("job", {}));
  const std::string id = page.next()["id"];
  EXPECT_TRUE(partner.wish("track", {{"id", id}, {"kind", "body"}}));
  EXPECT_EQ(page.next()["done"], 1);
  EXPECT_EQ(page.next()["done"], 2);
  const nlohmann::json result = page.next();
  EXPECT_EQ(result["say"], "result");
  EXPECT_EQ(result["files"], nlohmann::json::array({"poses.csv"}));
}

TEST(JobPartner, AJobThatFailsSaysWhy) {
  Uploads uploads;
  JobDesk desk(uploads, [](Job& job) { throw Error((job.input / "clip.mp4").string() + ": there is nothing in it"); });
  Listener page;
  JobPartner partner(page, desk);
  partner.wish("job", {});
  const std::string id = page.next()["id"];
  partner.wish("track", {{"id", id}, {"kind", "face"}});
  EXPECT_EQ(page.next()["text"], "clip.mp4: there is nothing in it") << "by the name that the page knows";
}

TEST(JobPartner, AJobWhosePageIsGoneEnds) {
  Uploads uploads;
  std::mutex gone;
  gone.lock();
  bool cancelled = false;
  {
    JobDesk desk(uploads, [&](Job& job) {
      job.progress(1, 2);
      const std::lock_guard wait(gone);
      try {
        job.progress(2, 2);
      } catch (const Job::Cancelled&) {
        cancelled = true;
        throw;
      }
    });
    Listener page;
    {
      JobPartner partner(page, desk);
      partner.wish("job", {});
      const std::string id = page.next()["id"];
      partner.wish("track", {{"id", id}, {"kind", "body"}});
      page.next();  // it is under way
    }
    gone.unlock();
  }
  EXPECT_TRUE(cancelled);
}

TEST(JobPartner, ThereIsAnEndToJobs) {
  UploadLimits limits;
  limits.jobs = 1;
  Uploads uploads(limits);
  JobDesk desk(uploads, [](Job&) {});
  Listener page, other_page;
  JobPartner partner(page, desk), other(other_page, desk);
  partner.wish("job", {});
  EXPECT_EQ(page.next()["say"], "job");
  other.wish("job", {});
  EXPECT_EQ(other_page.next()["say"], "failed");
  partner.wish("job", {});
  EXPECT_EQ(page.next()["say"], "job") << "in place of its last one";
  partner.wish("cancel", {});
  other.wish("job", {});
  EXPECT_EQ(other_page.next()["say"], "job");
}

TEST(JobPartner, WishesThatMakeNoSenseAreRefused) {
  Uploads uploads;
  JobDesk desk(uploads, [](Job&) {});
  Listener page;
  JobPartner partner(page, desk);
  EXPECT_FALSE(partner.wish("fly", {}));
  EXPECT_THROW(partner.wish("track", {{"id", "x"}, {"kind", "body"}}), Error);
  partner.wish("job", {});
  EXPECT_THROW(partner.wish("track", {{"id", "x"}, {"kind", "body"}}), Error);
  EXPECT_THROW(partner.wish("track", {{"id", "x"}, {"kind", "cat"}}), Error);
}

}  // namespace
}  // namespace kinema::serve
