// The folder of a batch. Everything that is known about a job is in its own folder, which appears whole, by one rename:
//
//   DIR/results/NAME/   the outputs of a job, job.json (its record) and log.txt (what it printed, if anything)
//   DIR/work/NAME/      a job under way: a lock, and what it has written so far
//
// Processes on several machines can share it. A job under way is locked with flock, which the kernel releases whatever
// ends the process, so that nothing needs to be cleaned up by hand.
#pragma once

#include "app/batch/batch_jobs.h"
#include "io/files/descriptor.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kinema::app {

/// What is known about a job that has ended.
struct JobRecord {
  Job job;
  bool done = false;    ///< false: it failed
  int attempts = 0;     ///< so far, over all runs of the batch
  int exit_code = 0;    ///< of the last attempt, as all that follows
  int signal = 0;       ///< that ended it; 0: none
  std::string cause;    ///< if it failed: one of a few words, such as "wrong input"
  std::string error;    ///< if it failed: one line
  std::string host;     ///< the machine
  std::string started;  ///< UTC, as 2030-01-31T12:00:00Z
  int threads = 0;
  std::optional<int> gpu;
  double seconds = 0, cpu_seconds = 0;
  std::uint64_t peak_bytes = 0;  ///< largest resident memory
  std::uint64_t bytes_in = 0, bytes_out = 0;
  std::vector<std::string> files;  ///< its results, by name
  nlohmann::ordered_json run;      ///< what the command printed with --json; null: nothing
};

nlohmann::ordered_json to_json(const JobRecord& record);

/// A file that only one process holds at a time, until this object or the process ends.
class FileLock {
public:
  enum class IfHeld { wait, give_up };

  /// Creates the file if needed. A file system without locks lets everyone have it.
  FileLock(const std::filesystem::path& path, IfHeld if_held);

  bool held() const { return file_.open(); }

private:
  io::Descriptor file_;
};

/// The exclusive right to work on a job.
class Claim {
public:
  Claim(FileLock lock, std::filesystem::path work, std::filesystem::path results);

  /// Removes what was not committed.
  ~Claim();
  Claim(Claim&& other) noexcept = default;
  Claim& operator=(Claim&&) = delete;

  /// The folder for the outputs of this attempt.
  const std::filesystem::path& folder() const { return folder_; }
  /// Files for what it prints.
  std::filesystem::path output() const { return work_ / "output.json"; }
  std::filesystem::path log() const { return work_ / "log.txt"; }

  /// Makes the folder, with the record in it, the result of the job in place of any other. Throws Error of cause running
  /// if the disk is full or fails.
  void commit(const JobRecord& record);

private:
  std::optional<FileLock> lock_;
  std::filesystem::path work_, results_, folder_;
};

class BatchStore {
public:
  /// Creates the folder if needed.
  explicit BatchStore(std::filesystem::path folder);

  const std::filesystem::path& folder() const { return folder_; }

  /// The record of a job; nothing if there is none, if it is of a run with another input or other options, or if
  /// somebody has removed a result.
  std::optional<JobRecord> record(const Job& job) const;

  /// Nothing if another process works on the job.
  std::optional<Claim> claim(const Job& job) const;

  /// Held while a report is made, so that the last one to be written knows all jobs.
  FileLock lock_report() const;

private:
  std::filesystem::path folder_;
};

}  // namespace kinema::app
