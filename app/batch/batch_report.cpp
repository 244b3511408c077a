#include "app/batch/batch_report.h"

#include "app/batch/batch_jobs.h"
#include "io/files/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <utility>

namespace kinema::app {
namespace {

using nlohmann::ordered_json;
using report::Unit;
using Entry = BatchSummary::Entry;

// Rows of the page's tables: a browser becomes slow with more. batch.csv has all of them.
constexpr std::size_t most_rows = 1000;

std::size_t count_of(const ordered_json& run, const char* name) {
  const auto value = run.find(name);
  return value != run.end() && value->is_number_unsigned() ? value->get<std::size_t>() : 0;
}

void add(JobSums& sums, const std::optional<JobRecord>& record) {
  ++sums.jobs;
  if (!record) return;
  ++(record->done ? sums.done : sums.failed);
  sums.seconds += record->seconds;
  sums.cpu_seconds += record->cpu_seconds;
  sums.peak_bytes = std::max(sums.peak_bytes, record->peak_bytes);
  if (!record->done) return;
  const JobFigures figures = figures_of(*record);
  sums.frames += figures.frames;
  sums.found += figures.found;
  sums.lost += figures.lost;
  sums.unusable += figures.unusable;
  sums.done_cpu_seconds += record->cpu_seconds;
  sums.bytes_in += record->bytes_in;
  sums.bytes_out += record->bytes_out;
}

const char* state(const Entry& entry) { return !entry.record ? "waiting" : entry.record->done ? "done" : "failed"; }

std::string size(std::uint64_t bytes) {
  const auto value = static_cast<double>(bytes);
  if (value < 1e6) return fmt::format("{:.1f} kB", value / 1e3);
  if (value < 1e9) return fmt::format("{:.1f} MB", value / 1e6);
  return fmt::format("{:.1f} GB", value / 1e9);
}

std::string share(std::size_t part, std::size_t all) {
  return all > 0 ? fmt::format("{:.1f} %", 100 * static_cast<double>(part) / static_cast<double>(all)) : "–";
}

std::string rate(const JobSums& sums) {
  return sums.done_cpu_seconds > 0 ? fmt::format("{:.1f}", static_cast<double>(sums.frames) / sums.done_cpu_seconds)
                                   : "–";
}

report::Figures first_figures(const BatchSummary& summary) {
  const JobSums& all = summary.all;
  report::Figures figures;
  figures.figures = {{fmt::format("{} of {}", all.done, all.jobs), "jobs done"},
                     {fmt::format("{}", all.failed), "failed"},
                     {fmt::format("{}", all.waiting()), "waiting or under way"},
                     {report::with_unit(static_cast<double>(all.frames), Unit::count), "frames"},
                     {share(all.found, all.frames), "of them found"},
                     {duration(all.cpu_seconds), "of processor time"}};
  if (summary.seconds_left) figures.figures.push_back({duration(*summary.seconds_left), "left, at the speed so far"});
  return figures;
}

report::Table sums_table(const std::string& title, const std::string& what,
                         const std::map<std::string, JobSums>& groups) {
  report::Table table{
      title,
      {what, "jobs", "done", "failed", "frames", "found", "frames per core and second", "in", "out", "memory"},
      1,
      {}};
  for (const auto& [name, sums] : groups) {
    table.rows.push_back(
        {{name.empty() ? "unknown" : name, fmt::format("{}", sums.jobs), fmt::format("{}", sums.done),
          fmt::format("{}", sums.failed), fmt::format("{}", sums.frames), share(sums.found, sums.frames), rate(sums),
          size(sums.bytes_in), size(sums.bytes_out), size(sums.peak_bytes)},
         false,
         false});
  }
  return table;
}

report::Table causes_table(const BatchSummary& summary) {
  report::Table table{"Failures by cause", {"cause", "jobs"}, 1, {}};
  for (const auto& [cause, count] : summary.causes)
    table.rows.push_back({{cause, fmt::format("{}", count)}, false, false});
  return table;
}

// The outputs of a job, beside the page. Its name has no character that means something in an address.
std::string link_of(const Entry& entry) { return entry.record ? "results/" + entry.job.name + "/" : ""; }

report::Table failures_table(const BatchSummary& summary) {
  report::Table table{"Jobs that failed", {"job", "cause", "attempts", "error"}, 4, {}};
  for (const Entry& entry : summary.entries) {
    if (!entry.record || entry.record->done || table.rows.size() == most_rows) continue;
    table.rows.push_back(
        {{entry.job.name, entry.record->cause, fmt::format("{}", entry.record->attempts), entry.record->error},
         false,
         false,
         link_of(entry)});
  }
  return table;
}

std::vector<std::string> cells(const Entry& entry) {
  std::vector<std::string> cells = {entry.job.name, state(entry)};
  if (!entry.record) return cells;
  const JobFigures figures = figures_of(*entry.record);
  for (const std::size_t count : {figures.frames, figures.found, figures.lost, figures.unusable})
    cells.push_back(fmt::format("{}", count));
  cells.push_back(figures.deviation_mm ? fmt::format("{:.1f}", *figures.deviation_mm) : "–");
  cells.push_back(fmt::format("{:.1f}", entry.record->seconds));
  return cells;
}

report::Table jobs_table(const BatchSummary& summary) {
  report::Table table{
      "All jobs", {"job", "state", "frames", "found", "lost", "unusable", "deviation, mm", "seconds"}, 2, {}};
  for (const Entry& entry : summary.entries) {
    if (table.rows.size() == most_rows) break;
    table.rows.push_back({cells(entry), false, false, link_of(entry)});
  }
  return table;
}

ordered_json json_of(const JobSums& sums) {
  return {{"jobs", sums.jobs},
          {"done", sums.done},
          {"failed", sums.failed},
          {"waiting", sums.waiting()},
          {"frames", sums.frames},
          {"found", sums.found},
          {"lost", sums.lost},
          {"unusable", sums.unusable},
          {"seconds", sums.seconds},
          {"cpu_seconds", sums.cpu_seconds},
          {"bytes_in", sums.bytes_in},
          {"bytes_out", sums.bytes_out},
          {"peak_bytes", sums.peak_bytes}};
}

// The time in which any of these jobs ran, whatever lies between: a batch may have been stopped for a while.
double busy_seconds(std::vector<std::pair<double, double>> times) {
  std::sort(times.begin(), times.end());
  double sum = 0, until = 0;
  for (const auto& [begin, end] : times) {
    sum += std::max(0.0, end - std::max(begin, until));
    until = std::max(until, end);
  }
  return sum;
}

std::optional<double> time_left(const BatchSummary& summary) {
  std::vector<std::pair<double, double>> times;
  double ended = 0, left = 0;
  for (const Entry& entry : summary.entries) {
    const double length = entry.job.length + 1;  // starting a job takes time too
    (entry.record ? ended : left) += length;
    std::tm time{};
    if (!entry.record || ::strptime(entry.record->started.c_str(), "%Y-%m-%dT%H:%M:%SZ", &time) == nullptr) continue;
    const auto begin = static_cast<double>(::timegm(&time));
    times.emplace_back(begin, begin + entry.record->seconds);
  }
  if (times.empty() || left == 0) return std::nullopt;
  return busy_seconds(std::move(times)) * left / ended;
}

}  // namespace

std::string duration(double seconds) {
  if (seconds < 100) return fmt::format("{:.1f} s", seconds);
  if (seconds < 6000) return fmt::format("{:.1f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

JobFigures figures_of(const JobRecord& record) {
  if (!record.run.is_object()) return {};
  JobFigures figures{count_of(record.run, "frames"),
                     count_of(record.run, "found"),
                     count_of(record.run, "lost"),
                     count_of(record.run, "gaps") + count_of(record.run, "unreadable"),
                     {}};
  const auto deviation = record.run.find("deviation_mm");
  if (figures.found > 0 && deviation != record.run.end() && deviation->is_number())
    figures.deviation_mm = deviation->get<double>();
  return figures;
}

BatchSummary summarise(const JobList& list, const BatchStore& store) {
  BatchSummary summary;
  for (const Job& job : list.jobs) {
    const Entry& entry = summary.entries.emplace_back(Entry{job, store.record(job)});
    add(summary.all, entry.record);
    add(summary.trackers[job.tracker], entry.record);
    if (!entry.record) continue;
    add(summary.hosts[entry.record->host], entry.record);
    if (!entry.record->done) ++summary.causes[entry.record->cause];
  }
  summary.seconds_left = time_left(summary);
  return summary;
}

std::string to_text(const BatchSummary& summary) {
  std::string text = fmt::format("{:<8} {:>7} {:>7} {:>7} {:>7} {:>10} {:>10} {:>8} {:>10}\n", "tracker", "jobs",
                                 "done", "failed", "waiting", "frames", "found", "lost", "seconds");
  const auto line = [&](const std::string& name, const JobSums& sums) {
    text += fmt::format("{:<8} {:>7} {:>7} {:>7} {:>7} {:>10} {:>10} {:>8} {:>10.1f}\n", name, sums.jobs, sums.done,
                        sums.failed, sums.waiting(), sums.frames, sums.found, sums.lost, sums.seconds);
  };
  for (const auto& [tracker, sums] : summary.trackers) line(tracker, sums);
  if (summary.trackers.size() > 1) line("all", summary.all);
  for (const auto& [cause, count] : summary.causes) text += fmt::format("failed: {}: {}\n", cause, count);
  if (summary.seconds_left) text += fmt::format("left: {}, at the speed so far\n", duration(*summary.seconds_left));
  return text;
}

std::string to_csv(const BatchSummary& summary) {
  std::string text =
      "name,input,tracker,state,attempts,frames,found,lost,unusable,deviation_mm,seconds,cpu_seconds,peak_bytes,"
      "bytes_in,bytes_out,host,cause,error\n";
  for (const Entry& entry : summary.entries) {
    const JobRecord record = entry.record.value_or(JobRecord{});
    const JobFigures figures = figures_of(record);
    text += fmt::format("{},{},{},{},{},{},{},{},{},{},{:.3f},{:.3f},{},{},{},{},{},{}\n",
                        io::csv_field(entry.job.name), io::csv_field(readable(entry.job.input)), entry.job.tracker,
                        state(entry), record.attempts, figures.frames, figures.found, figures.lost, figures.unusable,
                        figures.deviation_mm ? fmt::format("{:.2f}", *figures.deviation_mm) : "", record.seconds,
                        record.cpu_seconds, record.peak_bytes, record.bytes_in, record.bytes_out,
                        io::csv_field(record.host), io::csv_field(record.cause), io::csv_field(record.error));
  }
  return text;
}

ordered_json to_json(const BatchSummary& summary) {
  ordered_json json = json_of(summary.all);
  json["seconds_left"] = summary.seconds_left ? ordered_json(*summary.seconds_left) : nullptr;
  json["trackers"] = ordered_json::object();
  for (const auto& [tracker, sums] : summary.trackers) json["trackers"][tracker] = json_of(sums);
  json["errors"] = ordered_json::object();
  for (const auto& [cause, count] : summary.causes) json["errors"][cause] = count;
  return json;
}

report::Report batch_report(const BatchSummary& summary, const BatchCall& call) {
  report::Section section;
  section.blocks.emplace_back(first_figures(summary));
  if (!summary.causes.empty()) {
    section.blocks.emplace_back(causes_table(summary));
    section.blocks.emplace_back(failures_table(summary));
  }
  section.blocks.emplace_back(sums_table("By tracker", "tracker", summary.trackers));
  if (summary.hosts.size() > 1) section.blocks.emplace_back(sums_table("By machine", "machine", summary.hosts));
  section.blocks.emplace_back(jobs_table(summary));
  section.blocks.emplace_back(report::Text{
      fmt::format("Deviation: the mean standard deviation that the tracker states for joints, along each axis. {}",
                  summary.entries.size() > most_rows
                      ? fmt::format("The tables end after {} jobs; this file has all of them:", most_rows)
                      : "The same as a file:"),
      "batch.csv"});
  section.blocks.emplace_back(report::Text{"The command, which goes on with what is not done:", ""});
  section.blocks.emplace_back(report::Commands{{call.command}});
  return {"Batch", fmt::format("{}, {}", call.jobs, call.date), {std::move(section)}, ""};
}

}  // namespace kinema::app
