#include "io/files/output_file.h"

#include "kinema/error.h"
#include "scratch_folder.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>

namespace kinema::io {
namespace {

template <class Work>
void expect_error(Error::Cause cause, const std::string& says, Work work) {
  try {
    work();
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.cause(), cause) << error.what();
    EXPECT_NE(std::string(error.what()).find(says), std::string::npos) << error.what();
  }
}

TEST(OutputFile, AppearsWholeWhenCommitted) {
  const ScratchFolder folder;
  OutputFile file(folder / "a.txt");
  file.write("one ");
  file.write(std::string(100000, 'x'));
  EXPECT_FALSE(std::filesystem::exists(folder / "a.txt"));
  file.commit();
  EXPECT_EQ(bytes_of(folder / "a.txt"), "one " + std::string(100000, 'x'));
  EXPECT_EQ(folder.entries(), 1u);
}

TEST(OutputFile, LeavesNothingWithoutCommit) {
  const ScratchFolder folder;
  {
    OutputFile file(folder / "a.txt");
    EXPECT_EQ(folder.entries(), 0u);
    file.write("half of it");
  }
  EXPECT_EQ(folder.entries(), 0u);
}

TEST(OutputFile, KeepsTheOldFileUntilCommitted) {
  const ScratchFolder folder;
  folder.write("a.txt", "old");
  { OutputFile(folder / "a.txt").write("new, not committed"); }
  EXPECT_EQ(bytes_of(folder / "a.txt"), "old");
  OutputFile file(folder / "a.txt");
  file.write("new");
  file.commit();
  EXPECT_EQ(bytes_of(folder / "a.txt"), "new");
  EXPECT_EQ(folder.entries(), 1u);
}

TEST(OutputFile, EmptyOneIsAFileToo) {
  const ScratchFolder folder;
  OutputFile(folder / "a.txt").commit();
  EXPECT_EQ(bytes_of(folder / "a.txt"), "");
  EXPECT_EQ(folder.entries(), 1u);
}

TEST(OutputFile, TwoInOneFolderDoNotMeet) {
  const ScratchFolder folder;
  OutputFile a(folder / "a.txt"), b(folder / "b.txt");
  a.write("a");
  b.write("b");
  b.commit();
  a.commit();
  EXPECT_EQ(bytes_of(folder / "a.txt"), "a");
  EXPECT_EQ(bytes_of(folder / "b.txt"), "b");
}

TEST(OutputFile, FollowsALinkToItsFile) {
  const ScratchFolder folder;
  std::filesystem::create_directory(folder / "elsewhere");
  folder.write("elsewhere/real.txt", "old");
  std::filesystem::create_symlink(folder / "elsewhere/real.txt", folder / "link.txt");
  OutputFile file(folder / "link.txt");
  file.write("new");
  file.commit();
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link.txt"));
  EXPECT_EQ(bytes_of(folder / "elsewhere/real.txt"), "new");
}

TEST(OutputFile, HasThePermissionsThatTheUmaskLeaves) {
  const ScratchFolder folder;
  const mode_t before = ::umask(027);
  OutputFile file(folder / "a.txt");
  file.commit();
  ::umask(before);
  EXPECT_EQ(std::filesystem::status(folder / "a.txt").permissions(), std::filesystem::perms(0640));
}

TEST(OutputFile, RefusesAFolderAndAMissingFolder) {
  const ScratchFolder folder;
  expect_error(Error::Cause::input, "is a folder", [&] { OutputFile file(folder.path()); });
  expect_error(Error::Cause::input, "is a folder", [&] { OutputFile file(folder / "sub/"); });
  expect_error(Error::Cause::input, "is a folder", [&] { OutputFile file(""); });
  expect_error(Error::Cause::input, "there is no folder", [&] { OutputFile file(folder / "none/a.txt"); });
  folder.write("plain", "");
  expect_error(Error::Cause::input, "there is no folder", [&] { OutputFile file(folder / "plain/a.txt"); });
}

TEST(OutputFile, RefusesAFolderThatMayNotBeWritten) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
  const ScratchFolder folder;
  std::filesystem::create_directory(folder / "locked");
  std::filesystem::permissions(folder / "locked", std::filesystem::perms(0555));
  expect_error(Error::Cause::input, "cannot be written", [&] { OutputFile file(folder / "locked/a.txt"); });
}

TEST(OutputFile, SaysThatTheDiskIsFull) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "there is no /dev/full";
  expect_error(Error::Cause::running, "No space left", [] {
    OutputFile file("/dev/full");
    file.write("a few bytes, which stay in the buffer");
    file.commit();
  });
  expect_error(Error::Cause::running, "No space left",
               [] { OutputFile("/dev/full").write(std::string(1 << 20, 'x')); });
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/full"));
}

// Files may have so many bytes and no more, as on a disk that is full.
class FullDisk {
public:
  explicit FullDisk(rlim_t bytes) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit now{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &now);
    handler_ = std::signal(SIGXFSZ, SIG_IGN);
  }
  ~FullDisk() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;

private:
  rlimit before_{};
  void (*handler_)(int);
};

TEST(OutputFile, OneThatLacksBytesIsNeverCommitted) {
  for (const Unfinished unfinished : {Unfinished::removed, Unfinished::kept}) {
    const ScratchFolder folder;
    folder.write("a.txt", "old");
    OutputFile file(folder / "a.txt", unfinished);
    file.write("whole line\n");
    file.flush();
    {
      const FullDisk full(15);
      file.write("one that does not fit\n");
      expect_error(Error::Cause::running, "File too large", [&] { file.flush(); });
    }
    // there is room again, but not what was lost
    expect_error(Error::Cause::running, "File too large", [&] { file.write("a later line\n"); });
    expect_error(Error::Cause::running, "File too large", [&] { file.commit(); });
    EXPECT_EQ(bytes_of(folder / "a.txt"), "old");
    EXPECT_EQ(bytes_of(folder / "a.txt.partial"), unfinished == Unfinished::kept ? "whole line\n" : "");
  }
}

TEST(OutputFile, AFullDeviceStaysFull) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "there is no /dev/full";
  OutputFile file("/dev/full");
  file.write("a line\n");
  expect_error(Error::Cause::running, "No space left", [&] { file.flush(); });
  expect_error(Error::Cause::running, "No space left", [&] { file.commit(); });
}

TEST(OutputFile, WritesThroughNoLinkThatSomebodyPut) {
  const ScratchFolder folder;
  folder.write("other.txt", "of somebody else");
  for (const bool hard : {false, true}) {
    SCOPED_TRACE(hard);
    hard ? std::filesystem::create_hard_link(folder / "other.txt", folder / "a.txt.partial")
         : std::filesystem::create_symlink("other.txt", folder / "a.txt.partial");
    expect_error(Error::Cause::input, "a.txt.partial is a link", [&] {
      OutputFile file(folder / "a.txt", Unfinished::kept);
      file.write("a line\n");
      file.commit();
    });
    EXPECT_EQ(bytes_of(folder / "other.txt"), "of somebody else");
    std::filesystem::remove(folder / "a.txt.partial");
  }
  // nor does it wait for whoever reads a pipe
  ASSERT_EQ(::mkfifo((folder / "a.txt.partial").c_str(), 0666), 0);
  expect_error(Error::Cause::input, "a.txt.partial is a link or no file",
               [&] { OutputFile(folder / "a.txt", Unfinished::kept); });
}

TEST(OutputFile, KeepsWhatAnEarlierRunLeftUntilItWrites) {
  const ScratchFolder folder;
  folder.write("a.txt.partial", "of a run that was killed");
  { OutputFile(folder / "a.txt", Unfinished::kept).flush(); }
  EXPECT_EQ(bytes_of(folder / "a.txt.partial"), "of a run that was killed");
  OutputFile(folder / "a.txt", Unfinished::kept).commit();
  EXPECT_EQ(bytes_of(folder / "a.txt"), "");
  EXPECT_EQ(folder.entries(), 1u);
  { OutputFile(folder / "b.txt", Unfinished::kept).flush(); }
  EXPECT_EQ(folder.entries(), 1u);
}

TEST(OutputFile, ADashIsStandardOutputForLines) {
  expect_error(Error::Cause::input, "cannot go to standard output", [] { OutputFile file("-"); });
  ::testing::internal::CaptureStdout();
  OutputFile file("-", Unfinished::kept);
  file.write("a line\n");
  file.commit();
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "a line\n");
}

TEST(OutputFile, WritesADeviceInItsPlace) {
  OutputFile file("/dev/null");
  file.write("gone");
  file.commit();
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

TEST(MakeFolder, MakesThoseAboveToo) {
  const ScratchFolder folder;
  make_folder(folder / "a/b/c");
  make_folder(folder / "a/b/c");
  EXPECT_TRUE(std::filesystem::is_directory(folder / "a/b/c"));
  folder.write("plain", "");
  expect_error(Error::Cause::input, "cannot be made a folder", [&] { make_folder(folder / "plain"); });
  expect_error(Error::Cause::input, "cannot be made a folder", [&] { make_folder(folder / "plain/below"); });
}

}  // namespace
}  // namespace kinema::io
