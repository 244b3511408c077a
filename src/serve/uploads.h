// Files that pages send to be tracked, and the results that they download: a folder per job, below one that is removed
// with the server. Names come from pages and are not trusted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kinema::serve {

struct UploadLimits {
  std::uint64_t file_bytes = std::uint64_t{2} << 30;
  std::uint64_t all_bytes = std::uint64_t{8} << 30;      ///< of all jobs together
  std::uint64_t spare_bytes = std::uint64_t{256} << 20;  ///< of the disk, left free
  std::size_t files = 20000;                             ///< of a job
  std::size_t jobs = 16;                                 ///< at once
};

class Uploads {
public:
  /// Throws Error where there is no place for temporary files.
  explicit Uploads(const UploadLimits& limits = {});
  ~Uploads();
  Uploads(const Uploads&) = delete;
  Uploads& operator=(const Uploads&) = delete;

  const UploadLimits& limits() const { return limits_; }

  /// A new job's name, which cannot be guessed. Throws Error where there are too many.
  std::string open();

  /// Its files are removed.
  void close(const std::string& job);

  bool has(const std::string& job) const;

  /// Of a path such as "/upload/JOB/depth/000001.png": the job and the name in it. Nothing where it is no such path.
  struct Place {
    std::string job, name;
  };
  static std::optional<Place> parse(std::string_view path, std::string_view root);

  /// A file being received: written at path(), it belongs to the job once arrived() was called, and is removed otherwise.
  class IncomingFile {
  public:
    IncomingFile(Uploads& uploads, Place place, std::uint64_t bytes, std::filesystem::path path);
    ~IncomingFile();
    IncomingFile(const IncomingFile&) = delete;
    IncomingFile& operator=(const IncomingFile&) = delete;

    const std::filesystem::path& path() const { return path_; }

    /// Bytes that will still be written.
    std::uint64_t left() const;

    /// Throws Error where the job is gone, or has a file there already.
    void arrived();

  private:
    friend class Uploads;
    Uploads& uploads_;
    Place place_;
    std::uint64_t bytes_;
    std::filesystem::path path_;  // empty once it has arrived
  };
  friend class IncomingFile;

  /// For a file of this many bytes. Throws Error where there is no such job or a limit is exceeded; its cause is
  /// `running` where the disk is full.
  std::unique_ptr<IncomingFile> expect(const Place& place, std::uint64_t bytes);

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

  std::filesystem::path folder(const std::string& job, const char* name) const;
  void arrived(const IncomingFile& file);
  void missed(const IncomingFile& file);

  UploadLimits limits_;
  std::filesystem::path root_;
  mutable std::mutex mutex_;
  std::map<std::string, Job> jobs_;
  std::uint64_t bytes_ = 0;
  std::uint64_t numbered_ = 0;               // names of files being received
  std::vector<const IncomingFile*> coming_;  // their room on the disk is taken
};

}  // namespace kinema::serve
