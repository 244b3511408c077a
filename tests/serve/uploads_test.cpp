#include "serve/uploads.h"
#include "kinema/error.h"

#include <gtest/gtest.h>

#include <fstream>

namespace kinema::serve {
namespace {

TEST(Uploads, APathNamesAJobAndAFile) {
  const auto place = Uploads::parse("/upload/abc/walk/depth/000001.png", "/upload/");
  ASSERT_TRUE(place);
  EXPECT_EQ(place->job, "abc");
  EXPECT_EQ(place->name, "walk/depth/000001.png");
  for (const char* path :
       {"/upload/abc", "/upload/abc/", "/upload/abc/a/", "/upload/abc/a/b/c/d", "/other/abc/x", "/"}) {
    EXPECT_FALSE(Uploads::parse(path, "/upload/")) << path;
  }
}

// As if it had been sent.
void send(Uploads& uploads, const std::string& job, const std::string& name) {
  const auto coming = uploads.expect({job, name}, 10);
  std::ofstream(coming->path()) << "x";
  coming->arrived();
}

TEST(Uploads, FilesLieInTheirJobsFolderAndGoWithIt) {
  Uploads uploads;
  const std::string job = uploads.open();
  send(uploads, job, "walk/depth/000001.png");
  const std::filesystem::path file = uploads.input_folder(job) / "walk" / "depth" / "000001.png";
  EXPECT_TRUE(std::filesystem::exists(file));
  EXPECT_THROW(send(uploads, job, "walk/depth/000001.png"), Error) << "twice";
  EXPECT_THROW(send(uploads, job, "walk/depth"), Error) << "a folder";
  EXPECT_THROW(send(uploads, job, "walk/depth/000001.png/x"), Error) << "a file";
  uploads.close(job);
  EXPECT_FALSE(std::filesystem::exists(file));
  EXPECT_THROW(uploads.expect({job, "x"}, 1), Error);
  EXPECT_THROW(uploads.input_folder(job), Error);
}

TEST(Uploads, AFileThatDoesNotArriveLeavesNoTrace) {
  UploadLimits limits;
  limits.all_bytes = 10;
  Uploads uploads(limits);
  const std::string job = uploads.open();
  std::filesystem::path path;
  {
    const auto coming = uploads.expect({job, "half"}, 10);
    path = coming->path();
    std::ofstream(path) << "x";
  }
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_TRUE(std::filesystem::is_empty(uploads.input_folder(job)));
  send(uploads, job, "half");
  // one that is under way when its job ends
  uploads.close(job);
  const std::string other = uploads.open();
  const auto late = uploads.expect({other, "late"}, 10);
  uploads.close(other);
  EXPECT_THROW(late->arrived(), Error);
}

TEST(Uploads, AFullDiskIsNotFilledFurther) {
  UploadLimits limits;
  limits.spare_bytes = std::uint64_t{1} << 62;
  Uploads uploads(limits);
  const std::string job = uploads.open();
  try {
    uploads.expect({job, "a"}, 1);
    FAIL() << "there is no such disk";
  } catch (const Error& error) {
    EXPECT_EQ(error.cause(), Error::Cause::running);
  }
}

// Far apart, since other programs write to that disk too.
TEST(Uploads, FilesThatComeAtOnceDoNotFillTheDiskTogether) {
  constexpr std::uint64_t part = std::uint64_t{600} << 20;
  const std::uint64_t available = std::filesystem::space(std::filesystem::temp_directory_path()).available;
  if (available < 3 * part) GTEST_SKIP() << "the disk is nearly full";
  UploadLimits limits;
  limits.spare_bytes = available - part * 5 / 3;  // room for one and two thirds
  Uploads uploads(limits);
  const std::string job = uploads.open();
  auto one = uploads.expect({job, "one"}, part);
  EXPECT_THROW(uploads.expect({job, "two"}, part), Error);
  EXPECT_NO_THROW(uploads.expect({job, "small"}, 1));
  // what was written is no longer waited for
  std::ofstream(one->path()) << std::string(100, 'x');
  EXPECT_EQ(one->left(), part - 100);
  one.reset();
  EXPECT_NO_THROW(uploads.expect({job, "two"}, part));
  send(uploads, job, "three");
  EXPECT_NO_THROW(uploads.expect({job, "two"}, part));
}

TEST(Uploads, ResultsAreThoseOfTheJobAlone) {
  Uploads uploads;
  const std::string job = uploads.open();
  std::ofstream(uploads.result_folder(job) / "poses.csv") << "x";
  EXPECT_TRUE(uploads.result({job, "poses.csv"}));
  EXPECT_FALSE(uploads.result({job, "other.csv"}));
  EXPECT_FALSE(uploads.result({job, "../result/poses.csv"}));
  EXPECT_FALSE(uploads.result({"other", "poses.csv"}));
}

TEST(Uploads, ThereIsAnEndToAllOfThem) {
  UploadLimits limits;
  limits.file_bytes = 100;
  limits.all_bytes = 250;
  limits.files = 3;
  limits.jobs = 2;
  Uploads uploads(limits);
  const std::string job = uploads.open();
  uploads.open();
  EXPECT_THROW(uploads.open(), Error);
  EXPECT_THROW(uploads.expect({job, "large"}, 101), Error);
  const auto a = uploads.expect({job, "a"}, 100), b = uploads.expect({job, "b"}, 100);
  EXPECT_THROW(uploads.expect({job, "c"}, 100), Error) << "bytes of all";
  const auto d = uploads.expect({job, "d"}, 1);
  EXPECT_THROW(uploads.expect({job, "e"}, 1), Error) << "files";
  uploads.close(job);
  EXPECT_NO_THROW(uploads.open());
}

}  // namespace
}  // namespace kinema::serve
