#include "app/body/people_evaluation.h"

#include "app/body/joint_errors.h"
#include "kinema/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

namespace kinema::app {
namespace {

constexpr double farthest = 0.5;       // metres: mean distance of joints of one person
constexpr double least_visible = 0.3;  // share
constexpr double worse_kept = 1.5;     // ratio of distances up to which a match stays

struct One {
  std::int64_t person;
  CommonJoints joints;
  double visible;
};
using Frames = std::map<std::int64_t, std::vector<One>>;

Frames by_frame(const PoseFile& file) {
  Frames frames;
  for (const io::PoseLine& line : file.lines) {
    if (!line.frame)
      throw Error(fmt::format("{}:{}: has no \"frame\", by which people are matched", file.name, line.line));
    std::vector<One>& people = frames[*line.frame];
    if (line.found) people.push_back({line.person.value_or(0), common_joints_of(file, line), line.visible.value_or(1)});
  }
  return frames;
}

double distance(const One& a, const One& b) {
  double sum = 0;
  std::size_t count = 0;
  for (std::size_t j = 0; j < common_count; ++j) {
    if (a.joints[j] == nullptr || b.joints[j] == nullptr) continue;
    sum += compare(*a.joints[j], *b.joints[j]).error_mm / 1000;
    ++count;
  }
  return count > 0 ? sum / static_cast<double>(count) : std::numeric_limits<double>::infinity();
}

using Matches = std::vector<std::optional<std::size_t>>;  // for each of the truth, the estimate

// `last`: the number by which each person was followed.
Matches match(const std::vector<One>& truth, const std::vector<One>& poses,
              const std::map<std::int64_t, std::int64_t>& last) {
  std::vector<std::vector<double>> away(truth.size(), std::vector<double>(poses.size()));
  std::vector<double> best_of_pose(poses.size(), std::numeric_limits<double>::infinity());
  for (std::size_t i = 0; i < truth.size(); ++i) {
    for (std::size_t j = 0; j < poses.size(); ++j) {
      away[i][j] = distance(truth[i], poses[j]);
      best_of_pose[j] = std::min(best_of_pose[j], away[i][j]);
    }
  }
  Matches matches(truth.size());
  std::vector<std::size_t> rows, columns;
  std::set<std::size_t> taken;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    const auto number = last.find(truth[i].person);
    for (std::size_t j = 0; j < poses.size() && number != last.end(); ++j) {
      const double best = std::max(*std::min_element(away[i].begin(), away[i].end()), best_of_pose[j]);
      if (poses[j].person != number->second || taken.contains(j) || away[i][j] > std::min(farthest, worse_kept * best))
        continue;
      matches[i] = j;
      taken.insert(j);
    }
    if (!matches[i]) rows.push_back(i);
  }
  for (std::size_t j = 0; j < poses.size(); ++j)
    if (!taken.contains(j)) columns.push_back(j);
  std::vector<std::vector<double>> cost;
  for (const std::size_t i : rows) {
    cost.emplace_back();
    for (const std::size_t j : columns) cost.back().push_back(std::min(away[i][j], 1000 * farthest));
  }
  const Matches rest = assign(cost);
  for (std::size_t r = 0; r < rows.size(); ++r)
    if (rest[r] && away[rows[r]][columns[*rest[r]]] <= farthest) matches[rows[r]] = columns[*rest[r]];
  return matches;
}

}  // namespace

bool several_people(const PoseFile& file) {
  return std::any_of(file.lines.begin(), file.lines.end(), [](const auto& line) { return line.person.has_value(); });
}

// By shortest augmenting paths, with rows added one by one (Kuhn, Munkres; Jonker and Volgenant).
Matches assign(const std::vector<std::vector<double>>& cost) {
  const std::size_t rows = cost.size(), columns = rows > 0 ? cost.front().size() : 0;
  if (rows > columns) {
    std::vector<std::vector<double>> turned(columns, std::vector<double>(rows));
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t j = 0; j < columns; ++j) turned[j][i] = cost[i][j];
    Matches matches(rows);
    const Matches other = assign(turned);
    for (std::size_t j = 0; j < columns; ++j) matches[*other[j]] = j;
    return matches;
  }
  constexpr double infinite = std::numeric_limits<double>::infinity();
  // rows and columns count from 1; column 0 holds the row that is being added
  std::vector<double> row_price(rows + 1), column_price(columns + 1);
  std::vector<std::size_t> row_of(columns + 1), before(columns + 1);
  for (std::size_t row = 1; row <= rows; ++row) {
    std::vector<double> least(columns + 1, infinite);
    std::vector<bool> used(columns + 1);
    std::size_t column = 0;
    row_of[0] = row;
    do {
      used[column] = true;
      const std::size_t from = row_of[column];
      std::size_t next = 0;
      double step = infinite;
      for (std::size_t j = 1; j <= columns; ++j) {
        if (used[j]) continue;
        const double reduced = cost[from - 1][j - 1] - row_price[from] - column_price[j];
        if (reduced < least[j]) least[j] = reduced, before[j] = column;
        if (least[j] < step) step = least[j], next = j;
      }
      for (std::size_t j = 0; j <= columns; ++j) {
        if (used[j])
          row_price[row_of[j]] += step, column_price[j] -= step;
        else
          least[j] -= step;
      }
      column = next;
    } while (row_of[column] != 0);
    for (; column != 0; column = before[column]) row_of[column] = row_of[before[column]];
  }
  Matches matches(rows);
  for (std::size_t j = 1; j <= columns; ++j)
    if (row_of[j] != 0) matches[row_of[j] - 1] = j - 1;
  return matches;
}

PeopleEvaluation evaluate_people(const PoseFile& poses, const PoseFile& truth) {
  const Frames wanted = by_frame(truth), given = by_frame(poses);
  PeopleEvaluation result;
  std::map<std::int64_t, PersonEvaluation> people;
  std::map<std::int64_t, std::vector<Sample>> samples;
  std::map<std::int64_t, std::int64_t> last;
  std::map<std::pair<std::int64_t, std::int64_t>, double> together;
  std::map<std::int64_t, std::size_t> stated;  // by number
  // of frames that the truth does not have nothing is known
  if (std::none_of(given.begin(), given.end(), [&](const auto& frame) { return wanted.contains(frame.first); }))
    throw Error(fmt::format("{}: has no frame in common with {}: do both belong to the same recording?", poses.name,
                            truth.name));
  result.frames = wanted.size();
  for (const auto& [frame, present] : wanted) {
    const auto found = given.find(frame);
    const std::vector<One> estimates = found != given.end() ? found->second : std::vector<One>();
    const Matches matches = match(present, estimates, last);
    std::vector<int> role(estimates.size());  // 0: of nobody, 1: of somebody, 2: of somebody who is hardly visible
    for (std::size_t i = 0; i < present.size(); ++i)
      if (matches[i]) role[*matches[i]] = present[i].visible < least_visible ? 2 : 1;
    for (std::size_t i = 0; i < present.size(); ++i) {
      const One& own = present[i];
      if (own.visible < least_visible) continue;
      PersonEvaluation& person = people[own.person];
      person.person = own.person;
      ++person.frames;
      for (const One& estimate : estimates)
        if (distance(own, estimate) <= farthest) ++together[{own.person, estimate.person}];
      person.followed_by[frame] = matches[i] ? estimates[*matches[i]].person : 0;
      if (!matches[i]) {
        ++person.missed;
        continue;
      }
      const One& estimate = estimates[*matches[i]];
      const auto [before, first] = last.try_emplace(own.person, estimate.person);
      if (!first && before->second != estimate.person) ++person.switches;
      before->second = estimate.person;
      for (std::size_t j = 0; j < common_count; ++j)
        if (own.joints[j] != nullptr && estimate.joints[j] != nullptr)
          samples[own.person].push_back(compare(*estimate.joints[j], *own.joints[j]));
    }
    for (std::size_t j = 0; j < estimates.size(); ++j) {
      if (role[j] != 2) ++stated[estimates[j].person];
      if (role[j] == 0) ++result.false_people;
    }
  }
  if (people.empty()) throw Error(fmt::format("{}: has nobody of whom enough is visible", truth.name));

  std::vector<Sample> all;
  for (auto& [number, person] : people) {
    person.error = summary(samples[number]);
    all.insert(all.end(), samples[number].begin(), samples[number].end());
    result.people += person.frames;
    result.missed += person.missed;
    result.switches += person.switches;
    result.by_person.push_back(std::move(person));
  }
  result.all = summary(all);
  result.numbers = stated.size();
  result.mota = 1 - static_cast<double>(result.missed + result.false_people + result.switches) /
                        static_cast<double>(result.people);
  std::vector<std::vector<double>> cost;
  double estimates = 0, shared = 0;
  for (const auto& [number, count] : stated) estimates += static_cast<double>(count);
  for (const PersonEvaluation& person : result.by_person) {
    cost.emplace_back();
    for (const auto& [number, count] : stated) cost.back().push_back(-together[{person.person, number}]);
  }
  const Matches pairs = assign(cost);
  for (std::size_t i = 0; i < pairs.size(); ++i)
    if (pairs[i]) shared -= cost[i][*pairs[i]];
  result.idf1 = 2 * shared / (static_cast<double>(result.people) + estimates);
  return result;
}

report::Report people_report(const PeopleEvaluation& evaluation, const std::string& poses, const std::string& truth) {
  report::Section section;
  const auto share = [&](std::size_t count) {
    return fmt::format("{:.1f} %", 100 * static_cast<double>(count) / static_cast<double>(evaluation.people));
  };
  report::Figures figures;
  figures.figures = {{fmt::format("{:.3f}", evaluation.idf1), "IDF1"},
                     {fmt::format("{:.3f}", evaluation.mota), "MOTA"},
                     {share(evaluation.missed), "of the visible missed"},
                     {share(evaluation.false_people), "false people"},
                     {std::to_string(evaluation.switches), "switches of identity"}};
  if (evaluation.all.count > 0)
    figures.figures.push_back({fmt::format("{:.1f} mm", evaluation.all.mean_mm), "mean joint error"});
  section.blocks.push_back(figures);
  report::Table table{
      "By person", {"person", "frames", "missed", "switches", "mean, mm", "within 100 mm", "normalised"}, 1, {}};
  report::Plot plot;
  plot.title = "Who was followed by which number; 0: missed";
  plot.x.label = "frame";
  plot.y.label = "number";
  plot.y.from = 0;
  for (const PersonEvaluation& person : evaluation.by_person) {
    const ErrorSummary& error = person.error;
    table.rows.push_back({{std::to_string(person.person), std::to_string(person.frames), std::to_string(person.missed),
                           std::to_string(person.switches), fmt::format("{:.1f}", error.mean_mm),
                           fmt::format("{:.1f} %", 100 * error.within_100mm),
                           error.normalised_error ? fmt::format("{:.2f}", *error.normalised_error) : "–"},
                          false,
                          false});
    report::Series series{
        fmt::format("person {}", person.person), static_cast<int>(plot.series.size() % 6), report::Style::line, {}};
    std::optional<std::int64_t> before;
    for (const auto& [frame, number] : person.followed_by) {
      if (before && frame > *before + 1)
        series.points.push_back({static_cast<double>(*before + 1), std::nullopt, 0, 0});
      series.points.push_back({static_cast<double>(frame), static_cast<double>(number), 0, 0});
      before = frame;
    }
    plot.series.push_back(std::move(series));
  }
  section.blocks.push_back(table);
  section.blocks.push_back(plot);
  return {"People against truth", fmt::format("{} against {}", poses, truth), {std::move(section)}, ""};
}

}  // namespace kinema::app
