// A file that appears whole or not at all: it is written under a temporary name beside the target and renamed when
// complete. A file that grows over a long run can be kept if the run ends early (Unfinished::kept).
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

namespace kinema::io {

/// What happens to a file that was not committed.
enum class Unfinished {
  removed,  ///< it is removed
  kept,     ///< it stays as TARGET.partial, even if the run was killed; the next run that writes anything replaces it
};

class OutputFile {
public:
  /// Checks that the target can be written (otherwise Error of cause input), so that long work is not lost at the end.
  /// One that is kept is locked from here on against other runs; of others nothing appears on disk before the first
  /// write. A target that is a device or a pipe, such as /dev/null, is written directly: there is nothing to rename. So
  /// is "-", standard output, to which only what is kept can go: text that is written line by line.
  explicit OutputFile(std::filesystem::path target, Unfinished unfinished = Unfinished::removed);

  /// Without commit() the previous file at the target remains.
  ~OutputFile();

  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// Throws Error of cause running if the disk is full or fails, here, in flush() or in commit(). From then on every
  /// call throws it again: a file that lacks some of its bytes is never committed.
  void write(std::string_view bytes);

  /// Passes what was written to the system, so that it survives the end of this process.
  void flush();

  /// Flushes everything to disk and renames the file to its target, atomically for other readers.
  void commit();

private:
  void open();
  int open_kept_partial();
  void pass_on(std::string_view bytes);
  [[noreturn]] void fail(int error);

  std::filesystem::path named_;    // as the caller named it, for messages
  std::filesystem::path target_;   // the final path: named_ with links resolved
  std::filesystem::path partial_;  // the temporary path; empty while there is no such file
  int descriptor_ = -1;
  std::string buffer_;      // written, and not yet passed to the system
  std::int64_t whole_ = 0;  // bytes up to the last flush()
  int error_ = 0;           // of the first call that failed
  bool started_ = false;    // something was written, if only nothing at all
  Unfinished unfinished_;
  bool in_place_ = false;
};

/// A file of these bytes alone.
void write_file(const std::filesystem::path& target, std::string_view bytes);

/// Rows of a table, or lines of JSON, which reach the disk as they come, so that a run that is killed leaves them in
/// TARGET.partial.
class RowFile {
public:
  /// `header`: of a table, with its end; lines of JSON have none.
  explicit RowFile(const std::filesystem::path& target, std::string header = "")
      : file_(target, Unfinished::kept), header_(std::move(header)) {}

  void add(std::string_view row);
  void commit();

private:
  void write_header();

  OutputFile file_;
  std::string header_;
};

/// Creates an empty file beside `target`, of a hidden name that nothing had, and opens it; never one that was there, or
/// that a link leads to. Returns -1 if that fails, for the reason in errno.
int create_partial(const std::filesystem::path& target, std::filesystem::path& partial, std::string_view ending = "");

/// Creates the folder and its parents if missing. Throws Error if that fails.
void make_folder(const std::filesystem::path& folder);

}  // namespace kinema::io
