// What came of a batch, from the records of its jobs alone: any process that sees the folder can say it.
#pragma once

#include "app/batch/batch_jobs.h"
#include "app/batch/batch_store.h"
#include "report/report.h"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace kinema::app {

/// Sums over jobs.
struct JobSums {
  std::size_t jobs = 0, done = 0, failed = 0;
  std::size_t frames = 0, found = 0, lost = 0, unusable = 0;  ///< of jobs that are done
  double seconds = 0, cpu_seconds = 0;                        ///< of the last attempts
  double done_cpu_seconds = 0;                                ///< of jobs that are done
  std::uint64_t bytes_in = 0, bytes_out = 0, peak_bytes = 0;  ///< the first two of jobs that are done

  std::size_t waiting() const { return jobs - done - failed; }  ///< or under way
};

struct BatchSummary {
  struct Entry {
    Job job;
    std::optional<JobRecord> record;  ///< nothing: it has not ended yet
  };
  std::vector<Entry> entries;  ///< all jobs of the list, in its order
  JobSums all;
  std::map<std::string, JobSums> trackers;
  std::map<std::string, JobSums> hosts;
  std::map<std::string, std::size_t> causes;  ///< of failures

  /// Of the jobs that have not ended, if they go on as those that have: their lengths are estimates.
  std::optional<double> seconds_left;
};

BatchSummary summarise(const JobList& list, const BatchStore& store);

/// The numbers of a job that its tracker printed.
struct JobFigures {
  std::size_t frames = 0, found = 0, lost = 0, unusable = 0;
  std::optional<double> deviation_mm;  ///< mean stated deviation of joints, of the body
};
JobFigures figures_of(const JobRecord& record);

/// For the terminal: by tracker, and failures by cause.
std::string to_text(const BatchSummary& summary);

/// One row per job.
std::string to_csv(const BatchSummary& summary);

nlohmann::ordered_json to_json(const BatchSummary& summary);

/// What the page says of the run that made it.
struct BatchCall {
  std::string jobs;     ///< the folder or the list
  std::string date;     ///< of the page
  std::string command;  ///< as in a shell
};

report::Report batch_report(const BatchSummary& summary, const BatchCall& call);

/// "3.2 min"
std::string duration(double seconds);

}  // namespace kinema::app
