// A file that appears whole or not at all: it is written beside its place and renamed when it is complete. A file that
// grows over a long run can be written where its reader finds it if the run ends early (Unfinished::kept).
#pragma once

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string_view>

namespace kinema::io {

/// What becomes of a file that was not committed.
enum class Unfinished {
  removed,  ///< nothing is left behind
  kept,     ///< what was written stays as TARGET.partial, also where the run was killed; the next run replaces it
};

class OutputFile {
public:
  /// Checks that the target could be written (Error of cause input where not), so that long work does not end in
  /// vain; nothing appears on disk before the first write. A target that is a device or a pipe, such as /dev/null, is
  /// written as it is: there is nothing to rename.
  explicit OutputFile(std::filesystem::path target, Unfinished unfinished = Unfinished::removed);

  /// Without commit() what stood at the target before stands there still.
  ~OutputFile();

  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// Throws Error of cause running where the disk is full or fails, here or in commit().
  void write(std::string_view bytes);

  /// Hands what was written to the system, so that it survives the end of this process.
  void flush();

  /// Brings everything to the disk and the file to its place, in one step for anybody who looks there.
  void commit();

private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  void open();
  int open_own_partial();
  int open_kept_partial();
  [[noreturn]] void fail(int error) const;

  std::filesystem::path named_;    // as the caller calls it, for messages
  std::filesystem::path target_;   // where it ends up: named_, with links followed
  std::filesystem::path partial_;  // where it is written; empty while there is no such file
  std::unique_ptr<std::FILE, Close> file_;
  Unfinished unfinished_;
  bool in_place_ = false;
};

/// Creates the folder, and those above it, where it is missing. Throws Error where that cannot be.
void make_folder(const std::filesystem::path& folder);

}  // namespace kinema::io
