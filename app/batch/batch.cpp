// kinema batch: many recordings, videos and pictures; can be killed at any moment and run again, and divided among
// machines that share a folder.
#include "app/batch/batch_report.h"
#include "app/batch/batch_run.h"
#include "app/batch/shard.h"
#include "app/options/interrupt.h"
#include "app/options/options.h"
#include "io/files/output_file.h"
#include "kinema/error.h"

#include <fmt/chrono.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kinema::app {
namespace {

namespace fs = std::filesystem;

struct BatchOptions {
  CommonOptions common;
  std::vector<std::string> words;  // as it was called
  fs::path jobs, out;
  FolderOptions folder;
  std::optional<Shard> shard;
  int at_once = 0, per_process = 0;
  bool report_only = false;
};

// What the batch passes on to every job, and what a result therefore depends on.
std::vector<std::string> common_words(const CommonOptions& common) {
  std::vector<std::string> words;
  if (common.compute.backend != Backend::automatic)
    words.insert(words.end(), {"--backend", std::string(name(common.compute.backend))});
  if (common.seed != CommonOptions().seed) words.insert(words.end(), {"--seed", std::to_string(common.seed)});
  return words;
}

fs::path this_program() {
  std::error_code error;
  fs::path path = fs::read_symlink("/proc/self/exe", error);
  if (error)
    throw Error(fmt::format("the path of this program is unknown: {}", error.message()), Error::Cause::running);
  return path;
}

// The page and the table, made of the records of all shards.
BatchSummary write_report(const BatchOptions& options, const JobList& list, const BatchStore& store) {
  const FileLock lock = store.lock_report();
  BatchSummary summary = summarise(list, store);
  io::OutputFile table(store.folder() / "batch.csv"), page(store.folder() / "batch.html");
  table.write(to_csv(summary));
  const std::string date = fmt::format(
      "{:%Y-%m-%d %H:%M} UTC", fmt::gmtime(std::chrono::system_clock::to_time_t(std::chrono::system_clock::now())));
  page.write(
      report::to_html(batch_report(summary, {options.jobs.string(), date, "kinema " + quoted_words(options.words)})));
  table.commit();
  page.commit();
  return summary;
}

void print_summary(const BatchOptions& options, const BatchSummary& summary, Shard shard, const BatchCounts& counts) {
  const std::string page = (options.out / "batch.html").string(), table = (options.out / "batch.csv").string();
  if (!options.common.json) {
    fmt::print("{}report: {}\n", to_text(summary), page);
    return;
  }
  nlohmann::ordered_json json = to_json(summary);
  json["shard"] = {{"part", shard.words()},    {"jobs", counts.jobs},     {"skipped", counts.skipped},
                   {"done", counts.done},      {"failed", counts.failed}, {"elsewhere", counts.elsewhere},
                   {"stopped", counts.stopped}};
  json["results"] = {{"report", page}, {"table", table}};
  print_json(json);
}

// The error that ends a shard whose jobs are not all done.
void check_done(const BatchOptions& options, Shard shard, const BatchCounts& counts) {
  const std::string of = shard.count > 1 ? fmt::format(" of shard {}", shard.words()) : "";
  if (counts.stopped) {
    throw Error(fmt::format("stopped after {} of {} jobs{}; run the same command again for the rest",
                            counts.skipped + counts.done, counts.jobs, of),
                Error::Cause::running);
  }
  if (counts.failed > 0) {
    throw Error(fmt::format("{} of {} jobs{} failed; {} says why", counts.failed, counts.jobs, of,
                            (options.out / "batch.html").string()),
                Error::Cause::running);
  }
}

void run(const BatchOptions& options, const Ranks& ranks) {
  const Interrupt interrupt;  // until the report is written
  JobList list;
  std::optional<BatchStore> store;
  Shard shard;
  BatchCounts counts;
  ranks.together([&] {
    list = read_jobs(options.jobs, options.folder, common_words(options.common), options.out);
    shard = within(options.shard ? *options.shard : shard_of_array(), shard_of_ranks(ranks));
    store.emplace(fs::absolute(options.out));
  });
  if (!options.report_only) {
    // ranks end together: mpirun would end the others when the first one fails
    ranks.together([&] {
      counts = run_batch(list, jobs_of(list, shard), *store,
                         {this_program(), options.common.compute.backend, options.common.compute.threads,
                          options.at_once, options.per_process});
    });
  }
  if (ranks.first()) print_summary(options, write_report(options, list, *store), shard, counts);
  ranks.together([&] { check_done(options, shard, counts); });
}

}  // namespace

void add_batch(Verb parent, Task& task) {
  Verb verb = parent.add("batch", "Track many recordings, videos and pictures; resumable, on one machine or many");
  const auto options = std::make_shared<BatchOptions>();
  verb.option("JOBS", options->jobs, "DIR|FILE",
              "A folder of recordings, videos and pictures, or a file with a job per line: INPUT TRACKER [OPTIONS]")
      .required();
  verb.option("--out", options->out, "DIR",
              "Folder for results, their records and the report; jobs done there are skipped")
      .required();
  FolderOptions& folder = options->folder;
  Verb for_folder = verb.under("For a folder");
  const auto words = [&for_folder](const char* name, auto& value, const char* help) {
    for_folder.parsed(name, value, split_words, "OPTIONS", help);
  };
  words("--body", folder.body,
        "Options of kinema body track, for recordings; give further outputs such as --bvh a name without a folder");
  words("--head", folder.head, "Options of kinema head track: track heads in videos and pictures");
  words("--face", folder.face, "Options of kinema face fit: fit faces in videos and pictures");
  words("--track", folder.track, "Options of kinema track: follow the person in videos and pictures; '' for none");
  verb.parsed("--shard", options->shard, parse_shard, "i/n",
              "Run part i of n; by default that of this task of a Slurm job array, and of this rank under mpirun");
  verb.option("--at-once", options->at_once, "N", "Jobs that run at once; 0: one per core, or a few per GPU")
      .between(0, 4096);
  verb.option("--per-process", options->per_process, "N",
              "Concurrent jobs that share a process, and so a GPU context; 0: all jobs of a GPU, or one on the CPU")
      .between(0, 4096);
  verb.flag("--report", options->report_only, "Run no jobs; only write the report of those that have ended");
  add_common_options(verb, options->common);
  verb.footer(
      "Exit code 0: all jobs of this shard are done. 1: some failed, or it was stopped. docs/scale.md says more.");
  verb.chosen([options, &task] {
    options->words = task.words;
    task.run = [options](const Ranks& ranks) { run(*options, ranks); };
    task.shared = true;
    task.needs_mpi = false;  // each takes its share of the jobs
  });
}

}  // namespace kinema::app
