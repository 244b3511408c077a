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

TEST(Uploads, FilesLieInTheirJobsFolderAndGoWithIt) {
  Uploads uploads;
  const std::string job = uploads.open();
  const std::filesystem::path file = uploads.reserve({job, "walk/depth/000001.png"}, 10);
  std::ofstream(file) << "x";
  EXPECT_TRUE(std::filesystem::exists(uploads.input_folder(job) / "walk" / "depth" / "000001.png"));
  EXPECT_THROW(uploads.reserve({job, "walk/depth/000001.png"}, 10), Error) << "twice";
  uploads.close(job);
  EXPECT_FALSE(std::filesystem::exists(file));
  EXPECT_THROW(uploads.reserve({job, "x"}, 1), Error);
  EXPECT_THROW(uploads.input_folder(job), Error);
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
  EXPECT_THROW(uploads.reserve({job, "large"}, 101), Error);
  uploads.reserve({job, "a"}, 100);
  uploads.reserve({job, "b"}, 100);
  EXPECT_THROW(uploads.reserve({job, "c"}, 100), Error) << "bytes of all";
  uploads.reserve({job, "d"}, 1);
  EXPECT_THROW(uploads.reserve({job, "e"}, 1), Error) << "files";
  uploads.close(job);
  EXPECT_NO_THROW(uploads.open());
}

}  // namespace
}  // namespace kinema::serve
