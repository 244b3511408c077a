#include "serve/uploads.h"

#include "kinema/error.h"
#include "serve/access.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace kinema::serve {
namespace fs = std::filesystem;

namespace {

constexpr std::ptrdiff_t deepest = 3;  // folders and the name
constexpr const char* no_job = "there is no such job";

}  // namespace

Uploads::Uploads(const UploadLimits& limits) : limits_(limits) {
  std::error_code error;
  std::string pattern = (fs::temp_directory_path(error) / "kinema-XXXXXX").string();
  if (error || ::mkdtemp(pattern.data()) == nullptr) {
    throw Error("there is no folder for temporary files: set TMPDIR", Error::Cause::running);
  }
  root_ = pattern;
}

Uploads::~Uploads() {
  std::error_code ignored;
  fs::remove_all(root_, ignored);
}

std::string Uploads::open() {
  const std::lock_guard lock(mutex_);
  if (jobs_.size() >= limits_.jobs) throw Error("too many files are tracked already: close another page");
  const std::string job = make_token();
  std::error_code error;
  for (const char* folder : {"input", "result", "coming"}) {
    if (!error) fs::create_directories(root_ / job / folder, error);
  }
  if (error) throw Error(fmt::format("{}: {}", root_.string(), error.message()), Error::Cause::running);
  jobs_[job];
  return job;
}

void Uploads::close(const std::string& job) {
  const std::lock_guard lock(mutex_);
  const auto place = jobs_.find(job);
  if (place == jobs_.end()) return;
  bytes_ -= place->second.bytes;
  jobs_.erase(place);
  std::error_code ignored;
  fs::remove_all(root_ / job, ignored);
}

std::optional<Uploads::Place> Uploads::parse(std::string_view path, std::string_view root) {
  if (!path.starts_with(root)) return std::nullopt;
  path.remove_prefix(root.size());
  const auto slash = path.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const std::string_view name = path.substr(slash + 1);
  // parse_target() let plain names and single slashes through, and no more
  if (name.empty() || name.ends_with('/') || std::count(name.begin(), name.end(), '/') >= deepest) return std::nullopt;
  return Place{std::string(path.substr(0, slash)), std::string(name)};
}

bool Uploads::has(const std::string& job) const {
  const std::lock_guard lock(mutex_);
  return jobs_.contains(job);
}

std::unique_ptr<Uploads::IncomingFile> Uploads::expect(const Place& place, std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  const auto job = jobs_.find(place.job);
  if (job == jobs_.end()) throw Error(no_job);
  if (bytes > limits_.file_bytes || bytes > limits_.all_bytes - bytes_ || job->second.files >= limits_.files) {
    throw Error("this is more than can be taken here: use the command in a shell");
  }
  std::error_code error;
  const fs::space_info space = fs::space(root_, error);
  std::uint64_t taken = limits_.spare_bytes;
  for (const IncomingFile* file : coming_) taken += file->left();
  if (error || space.available < taken || bytes > space.available - taken) {
    throw Error(fmt::format("the disk has no room for '{}': set TMPDIR to another one", place.name),
                Error::Cause::running);
  }
  coming_.reserve(coming_.size() + 1);
  auto file =
      std::make_unique<IncomingFile>(*this, place, bytes, root_ / place.job / "coming" / std::to_string(numbered_++));
  // from here on nothing fails
  coming_.push_back(file.get());
  job->second.bytes += bytes;
  ++job->second.files;
  bytes_ += bytes;
  return file;
}

Uploads::IncomingFile::IncomingFile(Uploads& uploads, Place place, std::uint64_t bytes, fs::path path)
    : uploads_(uploads), place_(std::move(place)), bytes_(bytes), path_(std::move(path)) {}

Uploads::IncomingFile::~IncomingFile() {
  if (path_.empty()) return;
  std::error_code ignored;
  fs::remove(path_, ignored);
  uploads_.missed(*this);
}

void Uploads::IncomingFile::arrived() {
  uploads_.arrived(*this);
  path_.clear();
}

std::uint64_t Uploads::IncomingFile::left() const {
  std::error_code error;
  const std::uint64_t written = fs::file_size(path_, error);
  return error ? bytes_ : bytes_ - std::min(bytes_, written);
}

void Uploads::arrived(const IncomingFile& file) {
  const std::lock_guard lock(mutex_);
  const Place& place = file.place_;
  if (!jobs_.contains(place.job)) throw Error(no_job);
  const fs::path target = root_ / place.job / "input" / place.name;
  std::error_code error;
  fs::create_directories(target.parent_path(), error);
  if (error || fs::exists(target, error)) throw Error(fmt::format("'{}' was sent twice", place.name));
  fs::rename(file.path_, target, error);
  if (error) throw Error(fmt::format("'{}': {}", place.name, error.message()), Error::Cause::running);
  std::erase(coming_, &file);
}

void Uploads::missed(const IncomingFile& file) {
  const std::lock_guard lock(mutex_);
  std::erase(coming_, &file);
  const auto job = jobs_.find(file.place_.job);
  if (job == jobs_.end()) return;
  job->second.bytes -= file.bytes_;
  --job->second.files;
  bytes_ -= file.bytes_;
}

std::optional<fs::path> Uploads::result(const Place& place) const {
  const std::lock_guard lock(mutex_);
  if (!jobs_.contains(place.job) || place.name.find('/') != std::string::npos) return std::nullopt;
  const fs::path file = root_ / place.job / "result" / place.name;
  std::error_code ignored;
  if (!fs::is_regular_file(file, ignored)) return std::nullopt;
  return file;
}

fs::path Uploads::folder(const std::string& job, const char* name) const {
  if (!has(job)) throw Error(no_job);
  return root_ / job / name;
}

fs::path Uploads::input_folder(const std::string& job) const { return folder(job, "input"); }

fs::path Uploads::result_folder(const std::string& job) const { return folder(job, "result"); }

}  // namespace kinema::serve
