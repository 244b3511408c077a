// Files that pages send to be tracked, and the results that they take away: a folder for each job, below one that is gone
// with the server. Names come from pages and are not trusted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace kinema::serve {

struct UploadLimits {
  std::uint64_t file_bytes = std::uint64_t{2} << 30;
  std::uint64_t all_bytes = std::uint64_t{8} << 30;  ///< of all jobs together
  std::size_t files = 20000;                         ///< of a job
  std::size_t jobs = 16;                             ///< at once
};

class Uploads {
public:
  /// Throws Error where there is no place for temporary files.
  explicit Uploads(const UploadLimits& limits = {});
  ~Uploads();
  Uploads(const Uploads&) = delete;
  Uploads& operator=(const Uploads&) = delete;

  const UploadLimits& limits() const { return limits_; }

  /// A new job's name, which nobody can guess. Throws Error where there are too many.
  std::string open();

  /// Its files are removed.
  void close(const std::string& job);

  /// Of a path such as "/upload/JOB/depth/000001.png": the job and the name in it. Nothing where it is no such path.
  struct Place {
    std::string job, name;
  };
  static std::optional<Place> parse(std::string_view path, std::string_view root);

  /// Where a file of so many bytes is to be written; folders above it are made. Throws Error where there is no such job,
  /// the file is there already, or a limit is passed.
  std::filesystem::path reserve(const Place& place, std::uint64_t bytes);

  /// A result of a job; nothing where there is none of this name.
  std::optional<std::filesystem::path> result(const Place& place) const;

  /// What was sent, and where results go. Throws Error where there is no such job.
  std::filesystem::path input_folder(const std::string& job) const;
  std::filesystem::path result_folder(const std::string& job) const;

private:
  struct Job {
    std::uint64_t bytes = 0;
    std::size_t files = 0;
  };

  UploadLimits limits_;
  std::filesystem::path root_;
  mutable std::mutex mutex_;
  std::map<std::string, Job> jobs_;
  std::uint64_t bytes_ = 0;
};

}  // namespace kinema::serve
