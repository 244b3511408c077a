// Poses of several people compared with the truth: who was found, who was taken for somebody else, and how far off joints are.
#pragma once

#include "app/body/evaluation.h"
#include "report/report.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace kinema::app {

/// Whether lines have numbers of people.
bool several_people(const PoseFile& file);

struct PersonEvaluation {
  std::int64_t person = 0;                           ///< of the truth
  std::size_t frames = 0;                            ///< in which enough of the person is visible
  std::size_t missed = 0;                            ///< of those, without an estimate
  std::size_t switches = 0;                          ///< another number than the last time
  ErrorSummary error;                                ///< of the joints of matched estimates
  std::map<std::int64_t, std::int64_t> followed_by;  ///< frame: the number of the estimate; 0: missed
};

struct PeopleEvaluation {
  std::size_t frames = 0;        ///< of the truth
  std::size_t people = 0;        ///< people in frames, of whom enough is visible
  std::size_t missed = 0;        ///< of those, without an estimate
  std::size_t false_people = 0;  ///< estimates of nobody
  std::size_t switches = 0;
  std::size_t numbers = 0;  ///< that estimates have
  double mota = 0;          ///< 1 - (missed + false + switches) / people
  double idf1 = 0;          ///< of the best pairing of numbers and people, the F1 of frames in which both are together
  ErrorSummary all;
  std::vector<PersonEvaluation> by_person;
};

/// Frames are matched by number, people in a frame by the least sum of mean joint distances, each at most 0.5 m; a match stays
/// while it is not much worse than the best. Who is less visible than 0.3 is not asked for. Throws Error if there is nothing to
/// compare.
PeopleEvaluation evaluate_people(const PoseFile& poses, const PoseFile& truth);

report::Report people_report(const PeopleEvaluation& evaluation, const std::string& poses, const std::string& truth);

/// For each row the column of an assignment of the least total cost (Hungarian method), none where there are more rows.
std::vector<std::optional<std::size_t>> assign(const std::vector<std::vector<double>>& cost);

}  // namespace kinema::app
