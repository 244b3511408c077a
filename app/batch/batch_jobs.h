// The jobs of `kinema batch`: one run of a tracker each, from a file with one job per line or from a folder of
// recordings, videos and pictures.
#pragma once

#include "app/batch/shard.h"

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kinema::app {

struct Job {
  std::string name;                  ///< of its folder in the results: unique in its list
  std::string input;                 ///< as in the file, or relative to the folder
  std::string tracker;               ///< "body", "head", "face" or "track", the person tracker
  std::vector<std::string> options;  ///< further words of its command
  double length = 0;                 ///< frames, estimated

  /// The same run: input, tracker and options. Decides whether a result belongs to this job.
  bool same_run(const Job& other) const {
    return input == other.input && tracker == other.tracker && options == other.options;
  }
};

struct JobList {
  std::vector<Job> jobs;
  std::filesystem::path inputs;   ///< the folder of the inputs
  std::filesystem::path working;  ///< the folder that relative names in options refer to
};

/// What to do with the entries of a folder.
struct FolderOptions {
  std::vector<std::string> body;                 ///< options of jobs with recordings
  std::optional<std::vector<std::string>> head;  ///< of jobs with videos and pictures; nothing: none
  std::optional<std::vector<std::string>> face;
  std::optional<std::vector<std::string>> track;
};

/// Reads a list of jobs. In a file, a line is INPUT TRACKER [OPTIONS]; words with spaces are quoted, # begins a comment.
/// In a folder, every recording below it is a job of the body tracker, and every video and folder of pictures one of
/// head, face and track; `skipped` and hidden folders are left out. `common` is added to the options of every job. Throws Error
/// if there are no jobs, or one is invalid.
JobList read_jobs(const std::filesystem::path& jobs, const FolderOptions& options,
                  const std::vector<std::string>& common, const std::filesystem::path& skipped);

/// The command that runs a job with its results in `folder`: words after the program's name. `more` are added unless the
/// job's options contain them.
std::vector<std::string> command_of(const JobList& list, const Job& job, const std::filesystem::path& folder,
                                    const std::vector<std::pair<std::string, std::string>>& more);

/// The file or folder of a job's input; of a pair or a pattern, the folder that holds it.
std::filesystem::path input_of(const JobList& list, const Job& job);

/// The jobs of one shard, longest first. Jobs are dealt so that all shards have about the same length.
std::vector<Job> jobs_of(const JobList& list, Shard shard);

/// The bytes of the UTF-8 character at the start of a text that is not empty; 0 if there is none.
std::size_t character_length(std::string_view text);

/// The text with every byte that is no UTF-8 as "\xe4": different texts stay different, but for those that hold such words
/// already.
std::string readable(std::string_view text);

}  // namespace kinema::app
