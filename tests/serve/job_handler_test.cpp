#include "serve/requests/job_handler.h"
#include "kinema/error.h"
#include "listener.h"

#include <gtest/gtest.h>

#include <fstream>

namespace kinema::serve {
namespace {

TEST(JobHandler, AJobIsDoneAndItsResultsAreNamed) {
  Uploads uploads;
  JobQueue queue(uploads, [](Job& job) {
    EXPECT_EQ(job.kind, "body");
    job.progress(1, 2);
    job.progress(2, 2);
    std::ofstream(job.results / "poses.csv") << "x";
  });
  Listener page;
  JobHandler handler(page, queue);
  EXPECT_TRUE(handler.request("job", {}));
  const std::string id = page.next()["id"];
  EXPECT_TRUE(handler.request("track", {{"id", id}, {"kind", "body"}}));
  EXPECT_EQ(page.next()["done"], 1);
  EXPECT_EQ(page.next()["done"], 2);
  const nlohmann::json result = page.next();
  EXPECT_EQ(result["say"], "result");
  EXPECT_EQ(result["files"], nlohmann::json::array({"poses.csv"}));
}

TEST(JobHandler, AJobThatFailsSaysWhy) {
  Uploads uploads;
  JobQueue queue(uploads,
                 [](Job& job) { throw Error((job.input / "clip.mp4").string() + ": there is nothing in it"); });
  Listener page;
  JobHandler handler(page, queue);
  handler.request("job", {});
  const std::string id = page.next()["id"];
  handler.request("track", {{"id", id}, {"kind", "face"}});
  EXPECT_EQ(page.next()["text"], "clip.mp4: there is nothing in it") << "by the name that the page knows";
}

TEST(JobHandler, AJobWhosePageIsGoneEnds) {
  Uploads uploads;
  std::mutex gone;
  gone.lock();
  bool cancelled = false;
  {
    JobQueue queue(uploads, [&](Job& job) {
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
      JobHandler handler(page, queue);
      handler.request("job", {});
      const std::string id = page.next()["id"];
      handler.request("track", {{"id", id}, {"kind", "body"}});
      page.next();  // it is under way
    }
    gone.unlock();
  }
  EXPECT_TRUE(cancelled);
}

TEST(JobHandler, ThereIsAnEndToJobs) {
  UploadLimits limits;
  limits.jobs = 1;
  Uploads uploads(limits);
  JobQueue queue(uploads, [](Job&) {});
  Listener page, other_page;
  JobHandler handler(page, queue), other(other_page, queue);
  handler.request("job", {});
  EXPECT_EQ(page.next()["say"], "job");
  other.request("job", {});
  EXPECT_EQ(other_page.next()["say"], "failed");
  handler.request("job", {});
  EXPECT_EQ(page.next()["say"], "job") << "in place of its last one";
  handler.request("cancel", {});
  other.request("job", {});
  EXPECT_EQ(other_page.next()["say"], "job");
}

TEST(JobHandler, RequestsThatMakeNoSenseAreRefused) {
  Uploads uploads;
  JobQueue queue(uploads, [](Job&) {});
  Listener page;
  JobHandler handler(page, queue);
  EXPECT_FALSE(handler.request("fly", {}));
  EXPECT_THROW(handler.request("track", {{"id", "x"}, {"kind", "body"}}), Error);
  handler.request("job", {});
  EXPECT_THROW(handler.request("track", {{"id", "x"}, {"kind", "body"}}), Error);
  EXPECT_THROW(handler.request("track", {{"id", "x"}, {"kind", "cat"}}), Error);
}

}  // namespace
}  // namespace kinema::serve
