#include "app/batch_run.h"

#include "app/child_process.h"
#include "app/command_line.h"
#include "app/interrupt.h"
#include "app/progress.h"
#include "core/stopwatch.h"
#include "core/threads.h"
#include "io/input_file.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <limits>
#include <memory>
#include <string_view>

namespace kinema::app {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

// Processes that share a GPU: while one prepares its points on a core, another computes. Not yet chosen by measurement.
constexpr int jobs_per_gpu = 4;

constexpr int most_attempts = 2;  // of a job in one run

std::string host_name() {
  char name[256] = {};
  return ::gethostname(name, sizeof name - 1) == 0 ? name : "";
}

std::string text_of(const fs::path& path) {
  try {
    return io::read_bytes(path, std::size_t{1} << 24);
  } catch (const Error&) {
    return "";  // missing or empty
  }
}

// The last line that is not empty, without the program's name.
std::string last_line(const std::string& log) {
  const std::size_t end = log.find_last_not_of(" \n\r");
  if (end == std::string::npos) return "";
  const std::size_t begin = log.find_last_of("\n\r", end) + 1;  // 0 if there is one line only
  std::string line = log.substr(begin, end + 1 - begin);
  constexpr std::string_view name = "kinema: ";
  if (line.starts_with(name)) line.erase(0, name.size());
  return io::one_line(line);
}

// Names of outputs as they will be when the job has ended: without the folder of the attempt.
std::string without_folder(std::string text, const fs::path& folder) {
  const std::string prefix = folder.string() + "/";
  for (std::size_t at = 0; (at = text.find(prefix, at)) != std::string::npos;) text.erase(at, prefix.size());
  return text;
}

// Of a file, or of all files in a folder.
std::uint64_t bytes_of(const fs::path& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) {
    const std::uintmax_t bytes = fs::file_size(path, error);
    return error ? 0 : bytes;
  }
  std::uint64_t sum = 0;
  for (fs::recursive_directory_iterator at(path, error), end; !error && at != end; at.increment(error)) {
    std::error_code unknown;
    if (at->is_regular_file(unknown)) sum += bytes_of(at->path());
  }
  return sum;
}

// The words under which a report counts failures.
std::string cause_of(const JobRecord& record) {
  const auto says = [&](const char* words) { return record.error.find(words) != std::string::npos; };
  if (says(std::strerror(ENOSPC)) || says(std::strerror(EDQUOT))) return "disk full";
  if (says("not enough memory") || says("out of memory")) return "out of memory";
  if (record.signal == SIGKILL) return "killed";  // by the kernel where memory is short, or by somebody
  if (record.signal == SIGTERM || record.signal == SIGINT || record.signal == SIGHUP) return "stopped";
  if (record.signal != 0) return "crashed";
  if (record.run.is_object() && record.run.value("stopped", false)) return "stopped";
  if (record.exit_code == 2) return "wrong input";
  if (record.run.is_object() && record.run.value("found", 1) == 0) return "nobody found";
  return "failed";
}

// A tracker gives the same bits again: whom it did not find, it will not find.
bool worth_another_attempt(const JobRecord& record) { return record.cause != "nobody found"; }

// CUDA_VISIBLE_DEVICES for one of the GPUs that this process sees.
std::string visible_device(int gpu) {
  const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
  if (visible == nullptr || *visible == '\0') return std::to_string(gpu);
  const std::vector<std::string> devices = split(visible, ',');
  return static_cast<std::size_t>(gpu) < devices.size() ? devices[static_cast<std::size_t>(gpu)] : std::to_string(gpu);
}

struct Waiting {
  Job job;
  int attempts = 0;  // in this run
};

struct Running {
  Waiting waiting;
  Claim claim;
  JobRecord record;
  Stopwatch watch;
  ChildProcess child;
};

class Runner {
public:
  Runner(const JobList& list, const std::vector<Job>& jobs, const BatchStore& store, const BatchSettings& settings)
      : list_(list), store_(store), settings_(settings), host_(host_name()), progress_("jobs", jobs.size(), true) {
    counts_.jobs = jobs.size();
    cores_ = settings.cores > 0 ? settings.cores : usable_cores();
    if (choose(settings.backend) == Backend::cuda) gpu_loads_.resize(gpus().size());
    for (const Job& job : jobs) {
      const auto record = store.record(job);
      if (record && record->done)
        ++counts_.skipped;
      else
        waiting_.push_back({job, 0});
    }
  }

  BatchCounts run() {
    const Interrupt interrupt(Interrupt::From::anybody);
    const ChildSignal child_signal;
    while (!(waiting_.empty() && running_.empty()) && !interrupt.asked()) {
      while (!waiting_.empty() && static_cast<int>(running_.size()) < now().at_once) start_next();
      progress_.show(counts_.skipped + counts_.done + counts_.failed + counts_.elsewhere, failures());
      if (!running_.empty()) child_signal.wait();
      collect();
    }
    counts_.stopped = interrupt.asked();
    return counts_;
  }

private:
  // SIGCHLD wakes the loop at once.
  class ChildSignal {
  public:
    ChildSignal() {
      ::sigemptyset(&signals_);
      ::sigaddset(&signals_, SIGCHLD);
      ::pthread_sigmask(SIG_BLOCK, &signals_, &old_);
    }
    ~ChildSignal() { ::pthread_sigmask(SIG_SETMASK, &old_, nullptr); }
    ChildSignal(const ChildSignal&) = delete;
    ChildSignal& operator=(const ChildSignal&) = delete;

    // At most a tenth of a second: another thread of the process may have taken the signal.
    void wait() const {
      const timespec longest{0, 100'000'000};
      ::sigtimedwait(&signals_, nullptr, &longest);
    }

  private:
    sigset_t signals_{}, old_{};
  };

  Concurrency now() const {
    return concurrency(waiting_.size() + running_.size(), cores_, static_cast<int>(gpu_loads_.size()),
                       settings_.at_once);
  }

  std::string failures() const { return counts_.failed > 0 ? fmt::format(", {} failed", counts_.failed) : ""; }

  void start_next() {
    const Concurrency plan = now();
    Waiting next = std::move(waiting_.front());
    waiting_.pop_front();
    try {
      std::optional<Claim> claim = store_.claim(next.job);
      if (!claim) {
        ++counts_.elsewhere;
        return;
      }
      const std::optional<JobRecord> before = store_.record(next.job);
      if (before && before->done) {  // by another process, since this one looked
        ++counts_.skipped;
        return;
      }
      start(std::move(next), std::move(*claim), before ? before->attempts : 0, plan.threads);
    } catch (const Error& error) {
      lose(next.job, error.what());
    } catch (const fs::filesystem_error& error) {
      lose(next.job, error.what());
    }
  }

  void start(Waiting next, Claim claim, int attempts_before, int threads) {
    JobRecord record;
    record.job = next.job;
    record.attempts = attempts_before + 1;
    record.host = host_;
    record.started = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}",
                                 fmt::gmtime(std::chrono::system_clock::to_time_t(std::chrono::system_clock::now())));
    record.threads = threads;
    ChildSettings child;
    child.words = command_of(list_, next.job, claim.folder(), {{"--threads", std::to_string(threads)}});
    child.words.insert(child.words.begin(), settings_.program.string());
    child.folder = list_.working;
    child.output = claim.output();
    child.log = claim.log();
    if (!gpu_loads_.empty()) {
      const auto least = std::min_element(gpu_loads_.begin(), gpu_loads_.end());
      record.gpu = static_cast<int>(least - gpu_loads_.begin());
      child.environment.emplace_back("CUDA_VISIBLE_DEVICES", visible_device(*record.gpu));
    }
    ++next.attempts;
    ChildProcess process(child);
    if (record.gpu) ++gpu_loads_[static_cast<std::size_t>(*record.gpu)];
    running_.push_back(std::make_unique<Running>(
        Running{std::move(next), std::move(claim), std::move(record), Stopwatch(), std::move(process)}));
  }

  void collect() {
    for (std::size_t i = 0; i < running_.size();) {
      const std::optional<ChildEnd> end = running_[i]->child.ended();
      if (!end) {
        ++i;
        continue;
      }
      const std::unique_ptr<Running> ended = std::move(running_[i]);
      running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(i));
      if (ended->record.gpu) --gpu_loads_[static_cast<std::size_t>(*ended->record.gpu)];
      finish(*ended, *end);
    }
  }

  void finish(Running& ended, const ChildEnd& end) {
    JobRecord& record = ended.record;
    record.seconds = ended.watch.ms() / 1000;
    record.cpu_seconds = end.cpu_seconds;
    record.peak_bytes = end.peak_bytes;
    record.exit_code = end.exit_code;
    record.signal = end.signal;
    const fs::path& folder = ended.claim.folder();
    record.run = ordered_json::parse(without_folder(text_of(ended.claim.output()), folder), nullptr, false);
    if (record.run.is_discarded()) record.run = nullptr;
    record.done =
        end.exit_code == 0 && end.signal == 0 && record.run.is_object() && !record.run.value("stopped", false);
    if (!record.done) {
      record.error = end.signal != 0 ? fmt::format("ended by signal {} ({})", end.signal, ::strsignal(end.signal))
                                     : without_folder(last_line(text_of(ended.claim.log())), folder);
      if (record.error.empty()) record.error = fmt::format("exit code {} without a message", end.exit_code);
      record.cause = cause_of(record);
    }
    record.bytes_in = bytes_of(input_of(list_, record.job));
    record.bytes_out = bytes_of(folder);
    try {
      ended.claim.commit(record);
    } catch (const Error& error) {
      return lose(record.job, error.what());
    }
    if (record.done) {
      ++counts_.done;
    } else if (ended.waiting.attempts < most_attempts && worth_another_attempt(record)) {
      note("{}: {}; it is tried once more", record.job.name, record.error);
      waiting_.push_back(std::move(ended.waiting));
    } else {
      ++counts_.failed;
      note("{}: {}", record.job.name, record.error);
    }
  }

  // A job whose result could not be kept; the next run of the batch tries it again.
  void lose(const Job& job, const char* why) {
    ++counts_.failed;
    note("{}: {}", job.name, why);
  }

  template <class... Values>
  void note(fmt::format_string<Values...> format, Values&&... values) {
    progress_.note("kinema: " + io::one_line(fmt::format(format, std::forward<Values>(values)...)));
  }

  const JobList& list_;
  const BatchStore& store_;
  const BatchSettings& settings_;
  std::string host_;
  int cores_ = 1;
  std::vector<int> gpu_loads_;  // jobs that run on each
  std::deque<Waiting> waiting_;
  std::vector<std::unique_ptr<Running>> running_;
  BatchCounts counts_;
  Progress progress_;
};

}  // namespace

Concurrency concurrency(std::size_t jobs, int cores, int gpus, int at_once) {
  Concurrency plan;
  const int left = static_cast<int>(std::clamp<std::size_t>(jobs, 1, std::numeric_limits<int>::max()));
  // one job per core gets more done than one job with all cores, whose steps are not all divided among them
  plan.at_once = at_once > 0 ? at_once : gpus > 0 ? std::min(cores, gpus * jobs_per_gpu) : cores;
  plan.threads = std::max(1, cores / std::min(plan.at_once, left));
  return plan;
}

BatchCounts run_batch(const JobList& list, const std::vector<Job>& jobs, const BatchStore& store,
                      const BatchSettings& settings) {
  return Runner(list, jobs, store, settings).run();
}

}  // namespace kinema::app
