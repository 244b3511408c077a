#include "io/files/output_file.h"

#include "io/files/input_file.h"
#include "kinema/error.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

namespace kinema::io {
namespace fs = std::filesystem;

constexpr std::size_t most_buffered = 1 << 16;

OutputFile::OutputFile(fs::path target, Unfinished unfinished)
    : named_(std::move(target)), target_(named_), unfinished_(unfinished) {
  std::error_code error;
  const fs::file_status status = fs::status(named_, error);
  if (named_.empty() || !named_.has_filename() || fs::is_directory(status)) {
    throw Error(fmt::format("{}: is a folder; give the name of a file to write", named_.string()));
  }
  if (named_ == "-") {
    if (unfinished_ == Unfinished::removed) {
      throw Error("-: this cannot go to standard output; give the name of a file (./- for one of that name)");
    }
    in_place_ = true;
    return;
  }
  in_place_ = fs::exists(status) && !fs::is_regular_file(status);
  if (in_place_) {
    if (::access(named_.c_str(), W_OK) != 0) {
      throw Error(fmt::format("{}: cannot be written: {}", named_.string(), std::strerror(errno)));
    }
    return;
  }

  // renaming over a link would replace it, and leave its target unchanged
  if (fs::is_symlink(fs::symlink_status(named_, error))) {
    const fs::path followed = fs::weakly_canonical(named_, error);
    if (!error) target_ = followed;
  }
  const fs::path folder = target_.has_parent_path() ? target_.parent_path() : fs::path(".");
  if (!is_folder(folder)) {
    throw Error(fmt::format("{}: there is no folder {}; create it first", named_.string(), folder.string()));
  }
  if (::access(folder.c_str(), W_OK | X_OK) != 0) {
    throw Error(
        fmt::format("{}: the folder {} cannot be written: {}", named_.string(), folder.string(), std::strerror(errno)));
  }
  if (unfinished_ == Unfinished::kept) descriptor_ = open_kept_partial();
}

OutputFile::~OutputFile() {
  struct stat file {};
  const bool empty = descriptor_ >= 0 && ::fstat(descriptor_, &file) == 0 && file.st_size == 0;
  // before it is unlocked
  if (!partial_.empty() && (unfinished_ == Unfinished::removed || empty)) ::unlink(partial_.c_str());
  if (descriptor_ >= 0) ::close(descriptor_);
}

int create_partial(const fs::path& target, fs::path& partial, std::string_view ending) {
  for (int attempt = 0; attempt < 1000; ++attempt) {
    fs::path name = target.parent_path() / fmt::format(".kinema-{}-{}.partial{}", ::getpid(), attempt, ending);
    // permissions follow the user's umask, as for any file
    const int descriptor = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor >= 0) partial = std::move(name);
    if (descriptor >= 0 || errno != EEXIST) return descriptor;
  }
  return -1;
}

// TARGET.partial, possibly left by an earlier run. A lock keeps two runs from writing to one file.
int OutputFile::open_kept_partial() {
  fs::path partial = target_;
  partial += ".partial";
  const auto refuse = [&](const std::string& why) { throw Error(fmt::format("{}: {}", named_.string(), why)); };
  for (;;) {
    // not through a link that somebody put there, nor into a pipe
    const int descriptor = ::open(partial.c_str(), O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
    const int error = errno;
    struct stat ours {
    }, there{};
    if (descriptor < 0 ? error == ELOOP || error == ENXIO
                       : ::fstat(descriptor, &ours) != 0 || !S_ISREG(ours.st_mode) || ours.st_nlink > 1) {
      if (descriptor >= 0) ::close(descriptor);
      refuse(fmt::format("{} is a link or no file, and is not written to; remove it", partial.string()));
    }
    if (descriptor < 0) fail(error);
    if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
      ::close(descriptor);
      refuse(fmt::format("another run is writing {}; wait for it, or give another name", partial.string()));
    }
    // the other run may have renamed or removed it between the two calls
    if (::stat(partial.c_str(), &there) == 0 && ours.st_ino == there.st_ino && ours.st_dev == there.st_dev) {
      partial_ = std::move(partial);
      return descriptor;
    }
    ::close(descriptor);
  }
}

void OutputFile::open() {
  if (error_ != 0) fail(error_);
  if (started_) return;
  if (in_place_) {
    descriptor_ =
        named_ == "-" ? ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0) : ::open(named_.c_str(), O_WRONLY | O_CLOEXEC);
  } else if (unfinished_ == Unfinished::removed) {
    descriptor_ = create_partial(target_, partial_);
  } else if (::ftruncate(descriptor_, 0) != 0) {
    fail(errno);
  }
  if (descriptor_ < 0) fail(errno);
  started_ = true;
}

void OutputFile::write(std::string_view bytes) {
  open();
  if (buffer_.size() + bytes.size() < most_buffered) {
    buffer_ += bytes;
    return;
  }
  pass_on(std::exchange(buffer_, {}));
  pass_on(bytes);
}

void OutputFile::pass_on(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(descriptor_, bytes.data(), bytes.size());
    if (count > 0) bytes.remove_prefix(static_cast<std::size_t>(count));
    if (count < 0 && errno != EINTR) fail(errno);
  }
}

void OutputFile::flush() {
  if (!started_) return;
  open();
  pass_on(std::exchange(buffer_, {}));
  if (unfinished_ == Unfinished::kept) whole_ = ::lseek(descriptor_, 0, SEEK_CUR);
}

void OutputFile::commit() {
  open();
  flush();
  // a full disk may be reported only now; a device or pipe has nothing to flush to disk
  if (!in_place_ && ::fsync(descriptor_) != 0 && errno != EINVAL && errno != ENOTSUP) fail(errno);
  if (::close(std::exchange(descriptor_, -1)) != 0) fail(errno);
  if (in_place_) return;
  if (std::rename(partial_.c_str(), target_.c_str()) != 0) fail(errno);
  partial_.clear();
}

void OutputFile::fail(int error) {
  // what is kept are whole lines
  if (error_ == 0 && descriptor_ >= 0 && unfinished_ == Unfinished::kept && !in_place_) {
    [[maybe_unused]] const int cut = ::ftruncate(descriptor_, whole_);  // if this fails too, the last line is torn
  }
  error_ = error;
  throw Error(fmt::format("{}: could not be written: {}", named_.string(), std::strerror(error)),
              Error::Cause::running);
}

void write_file(const fs::path& target, std::string_view bytes) {
  OutputFile file(target);
  file.write(bytes);
  file.commit();
}

void RowFile::write_header() { file_.write(std::exchange(header_, {})); }

void RowFile::add(std::string_view row) {
  write_header();
  file_.write(row);
  file_.flush();
}

void RowFile::commit() {
  write_header();
  file_.commit();
}

void make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (!is_folder(folder)) {
    throw Error(fmt::format("{}: cannot be made a folder: {}", folder.string(),
                            error ? error.message() : std::string("something else has its name")));
  }
}

}  // namespace kinema::io
