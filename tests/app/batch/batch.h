// A folder of short recordings, and the batch that tracks them.
#pragma once

#include "tracked.h"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include <sys/types.h>

namespace kinema::app {

class BatchTest : public TrackTest {
protected:
  /// A recording of `count` clouds in the folder "recordings": the cheapest there is.
  void record(const std::string& name, int count = 1) const;

  /// Three pictures of a head in the folder "recordings", and its colours in `name`.json.
  void record_head(const std::string& name) const;

  /// Options of body track that make it cheap, for --body and for lines of a file.
  static const std::string cheap;

  /// `kinema batch recordings --out out --body CHEAP MORE`
  static Arguments call(const Arguments& more = {});
  Outcome batch(const Arguments& more = {}, const Environment& environment = {}) const;

  std::filesystem::path results(const std::string& job) const { return folder / "out/results" / job; }
  nlohmann::json job_record(const std::string& job) const;

  /// The poses of a job, without what a clock put there.
  std::string poses(const std::string& job) const;

  /// The jobs with a record that says done.
  std::set<std::string> done() const;

  /// The processes that another one has started.
  static std::vector<pid_t> children_of(pid_t parent);

  /// Nothing is left of jobs under way.
  void expect_no_work_left() const;
};

}  // namespace kinema::app
