#include "app/batch/batch_run.h"

#include "app/batch/batch_report.h"
#include "app/batch/child_process.h"
#include "app/batch/shared_process.h"
#include "app/options/command_line.h"
#include "app/options/interrupt.h"
#include "app/options/progress.h"
#include "core/stopwatch.h"
#include "core/threads.h"
#include "io/files/input_file.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <poll.h>
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
#include <optional>
#include <string_view>
#include <utility>

namespace kinema::app {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

std::string text_if_any(const fs::path& path) {
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
  if (!io::is_folder(path)) {
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

std::string words_of(const ChildEnd& end) {
  if (end.signal != 0) return fmt::format("ended by signal {} ({})", end.signal, ::strsignal(end.signal));
  return fmt::format("ended with exit code {}", end.exit_code);
}

// Everything of the record that one attempt decides, from how its process ended and what it wrote.
void fill_in(JobRecord& record, const Claim& claim, const ChildEnd& end, const fs::path& input) {
  record.cpu_seconds = end.cpu_seconds;
  record.peak_bytes = end.peak_bytes;
  record.exit_code = end.exit_code;
  record.signal = end.signal;
  const fs::path& folder = claim.folder();
  record.run = ordered_json::parse(without_folder(text_if_any(claim.output()), folder), nullptr, false);
  if (record.run.is_discarded()) record.run = nullptr;
  record.done = end.exit_code == 0 && end.signal == 0 && record.run.is_object() && !record.run.value("stopped", false);
  if (!record.done) {
    record.error = end.signal != 0 ? words_of(end) : without_folder(last_line(text_if_any(claim.log())), folder);
    if (record.error.empty()) record.error = fmt::format("exit code {} without a message", end.exit_code);
    record.cause = cause_of(record);
  }
  record.bytes_in = bytes_of(input);
  record.bytes_out = bytes_of(folder);
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end_of; !error && at != end_of; at.increment(error))
    record.files.push_back(at->path().filename().string());
}

// A tracker gives the same bits again: whom it did not find, it will not find, and wrong input stays wrong.
bool worth_another_attempt(const JobRecord& record) { return record.exit_code != 2 && record.cause != "nobody found"; }

// Jobs that share a GPU: while one prepares its points on a core, others compute. Measured on an H200 with 16
// cores: 4, 8 and 16 are 3.2, 3.6 and 3.3 times as fast as jobs one after another.
constexpr int jobs_per_gpu = 8;

constexpr int most_per_process = 4096;  // no limit: all jobs of a GPU

constexpr int most_attempts = 2;  // of a job in one run

std::string host_name() {
  char name[256] = {};
  return ::gethostname(name, sizeof name - 1) == 0 ? name : "";
}

// CUDA_VISIBLE_DEVICES for one of the GPUs that this process sees.
std::string visible_device(int gpu) {
  const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
  if (visible == nullptr || *visible == '\0') return std::to_string(gpu);
  const std::vector<std::string> devices = split(visible, ',');
  return static_cast<std::size_t>(gpu) < devices.size() ? devices[static_cast<std::size_t>(gpu)] : std::to_string(gpu);
}

struct Waiting {
  Job job;
  int attempts = 0;    // in this run
  bool alone = false;  // in a process of its own, after it failed or its process ended
};

// A process that several jobs share.
struct Host {
  SharedProcess process;
  std::optional<int> gpu;
  int jobs = 0;          // under way in it
  bool retired = false;  // gets no more jobs
};

struct Running {
  Waiting waiting;
  Claim claim;
  JobRecord record;
  Stopwatch watch;
  int number = 0;
  Host* host = nullptr;
  std::optional<ChildProcess> child;  // where there is no host
};

// Wakes the loop as soon as a process ends or has something to say.
class Alarm {
public:
  Alarm() {
    struct sigaction nothing {};
    nothing.sa_handler = [](int) {};  // a signal without a handler would not end the wait
    ::sigaction(SIGCHLD, &nothing, &old_action_);
    sigset_t signals;
    ::sigemptyset(&signals);
    ::sigaddset(&signals, SIGCHLD);
    ::pthread_sigmask(SIG_BLOCK, &signals, &old_mask_);
  }
  ~Alarm() {
    ::sigaction(SIGCHLD, &old_action_, nullptr);
    ::pthread_sigmask(SIG_SETMASK, &old_mask_, nullptr);
  }
  Alarm(const Alarm&) = delete;
  Alarm& operator=(const Alarm&) = delete;

  // At most a tenth of a second: another thread of the process may have taken the signal.
  void wait(std::vector<pollfd> readable) const {
    const timespec longest{0, 100'000'000};
    sigset_t mask = old_mask_;
    ::sigdelset(&mask, SIGCHLD);
    ::ppoll(readable.data(), readable.size(), &longest, &mask);
  }

private:
  struct sigaction old_action_ {};
  sigset_t old_mask_{};
};

class Runner {
public:
  Runner(const JobList& list, const std::vector<Job>& jobs, const BatchStore& store, const BatchSettings& settings)
      : list_(list), store_(store), settings_(settings), machine_(host_name()), progress_("jobs", jobs.size(), true) {
    counts_.jobs = jobs.size();
    cores_ = settings.cores > 0 ? settings.cores : usable_cores();
    if (choose(settings.backend) == Backend::cuda) gpu_loads_.resize(gpus().size());
    per_process_ = settings.per_process > 0 ? settings.per_process : gpu_loads_.empty() ? 1 : most_per_process;
    for (const Job& job : jobs) {
      const auto record = store.record(job);
      if (record && record->done)
        ++counts_.skipped;
      else
        waiting_.push_back({job});
    }
  }

  BatchCounts run() {
    const Interrupt interrupt;
    const Alarm alarm;
    while (!(waiting_.empty() && running_.empty()) && !interrupt.asked()) {
      while (!waiting_.empty() && static_cast<int>(running_.size()) < now().at_once) start_next();
      progress_.show(counts_.skipped + counts_.done + counts_.failed + counts_.elsewhere, failures() + time_left());
      if (!running_.empty()) alarm.wait(channels());
      collect_own();
      collect_shared();
    }
    counts_.stopped = interrupt.asked();
    return counts_;
  }

private:
  Concurrency now() const {
    return concurrency(waiting_.size() + running_.size(), cores_, static_cast<int>(gpu_loads_.size()),
                       settings_.at_once);
  }

  std::string failures() const { return counts_.failed > 0 ? fmt::format(", {} failed", counts_.failed) : ""; }

  // At the speed so far; the lengths of jobs are estimates.
  std::string time_left() const {
    if (ended_work_ == 0) return "";
    double left = 0;
    for (const Waiting& waiting : waiting_) left += work_of(waiting.job);
    for (const auto& running : running_) left += work_of(running->record.job);
    return fmt::format(", about {} left", duration(elapsed_.ms() / 1000 * left / ended_work_));
  }

  static double work_of(const Job& job) { return job.length + 1; }  // starting it takes time too

  std::vector<pollfd> channels() const {
    std::vector<pollfd> readable;
    for (const auto& host : hosts_) readable.push_back({host->process.descriptor(), POLLIN, 0});
    return readable;
  }

  void start_next() {
    const Concurrency plan = now();
    const Waiting next = std::move(waiting_.front());
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
      start(next, std::move(*claim), before ? before->attempts : 0, plan.threads);
    } catch (const Error& error) {
      lose(next.job, error.what());
    } catch (const fs::filesystem_error& error) {
      lose(next.job, error.what());
    }
  }

  void start(const Waiting& next, Claim claim, int attempts_before, int threads) {
    JobRecord record;
    record.job = next.job;
    record.attempts = attempts_before + 1;
    record.host = machine_;
    record.started = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}",
                                 fmt::gmtime(std::chrono::system_clock::to_time_t(std::chrono::system_clock::now())));
    record.threads = threads;
    if (const fs::path input = input_of(list_, next.job); !io::is_there(input)) {
      record.exit_code = 2;  // as the tracker would say, and there may be thousands
      record.cause = "wrong input";
      record.error = fmt::format("{}: there is no such file or folder", input.string());
      claim.commit(record);
      ++counts_.failed;
      return note("{}: {}", record.job.name, record.error);
    }
    if (!gpu_loads_.empty()) {
      const auto least = std::min_element(gpu_loads_.begin(), gpu_loads_.end());
      record.gpu = static_cast<int>(least - gpu_loads_.begin());
    }
    const std::vector<std::string> words =
        command_of(list_, next.job, claim.folder(), {{"--threads", std::to_string(threads)}});
    auto job = std::make_unique<Running>(
        Running{next, std::move(claim), std::move(record), Stopwatch(), ++last_number_, nullptr, {}});
    ++job->waiting.attempts;
    if (per_process_ > 1 && !job->waiting.alone)
      start_shared(*job, words);
    else
      start_own(*job, words);
    if (job->record.gpu) ++gpu_loads_[static_cast<std::size_t>(*job->record.gpu)];
    running_.push_back(std::move(job));
  }

  std::vector<std::pair<std::string, std::string>> environment_for(std::optional<int> gpu) const {
    if (!gpu) return {};
    return {{"CUDA_VISIBLE_DEVICES", visible_device(*gpu)}};
  }

  void start_own(Running& job, const std::vector<std::string>& words) {
    ChildSettings child;
    child.words = words;
    child.words.insert(child.words.begin(), settings_.program.string());
    child.folder = list_.working;
    child.output = job.claim.output();
    child.log = job.claim.log();
    child.environment = environment_for(job.record.gpu);
    job.child.emplace(child);
  }

  // Where the process has just ended, collect_shared() will find this job in it too.
  void start_shared(Running& job, const std::vector<std::string>& words) {
    job.host = &host_for(job.record.gpu);
    job.host->process.start({job.number, job.claim.output(), job.claim.log(), words});
    ++job.host->jobs;
  }

  Host& host_for(std::optional<int> gpu) {
    for (const auto& host : hosts_) {
      if (host->gpu == gpu && !host->retired && host->jobs < per_process_) return *host;
    }
    hosts_.push_back(
        std::make_unique<Host>(Host{SharedProcess(settings_.program, list_.working, environment_for(gpu)), gpu}));
    return *hosts_.back();
  }

  void collect_own() {
    for (std::size_t i = 0; i < running_.size();) {
      std::optional<ChildEnd> end;
      if (running_[i]->child) end = running_[i]->child->ended();
      if (end)
        finish(*take(i), *end);
      else
        ++i;
    }
  }

  void collect_shared() {
    for (std::size_t h = 0; h < hosts_.size();) {
      Host& host = *hosts_[h];
      // before its messages are read, so that none is missed
      const std::optional<ChildEnd> ended = host.process.ended();
      while (const std::optional<JobEnd> job = host.process.ended_job()) finish_shared(host, *job);
      if (ended) lose_host(host, *ended);
      if (ended || (host.retired && host.jobs == 0))
        hosts_.erase(hosts_.begin() + static_cast<std::ptrdiff_t>(h));
      else
        ++h;
    }
  }

  std::unique_ptr<Running> take(std::size_t i) {
    std::unique_ptr<Running> ended = std::move(running_[i]);
    running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(i));
    if (ended->record.gpu) --gpu_loads_[static_cast<std::size_t>(*ended->record.gpu)];
    return ended;
  }

  void finish_shared(Host& host, const JobEnd& end) {
    for (std::size_t i = 0; i < running_.size(); ++i) {
      if (running_[i]->number != end.number) continue;
      --host.jobs;
      // a failure may have left CUDA's context unusable; wrong input (2) has not
      if (end.exit_code != 0 && end.exit_code != 2) host.retired = true;
      return finish(*take(i), {end.exit_code, 0, end.cpu_seconds, end.peak_bytes});
    }
  }

  // One of its jobs has ended the process, or somebody has: which one is seen when each runs alone. The attempt does not
  // count.
  void lose_host(const Host& host, const ChildEnd& end) {
    for (std::size_t i = 0; i < running_.size();) {
      if (running_[i]->host != &host) {
        ++i;
        continue;
      }
      const std::unique_ptr<Running> lost = take(i);
      note("{}: the process that it shared with others {}; it is tried alone", lost->record.job.name, words_of(end));
      --lost->waiting.attempts;
      lost->waiting.alone = true;
      waiting_.push_back(std::move(lost->waiting));
    }
  }

  void finish(Running& ended, const ChildEnd& end) {
    JobRecord& record = ended.record;
    record.seconds = ended.watch.ms() / 1000;
    ended_work_ += work_of(record.job);
    fill_in(record, ended.claim, end, input_of(list_, record.job));
    try {
      ended.claim.commit(record);
    } catch (const Error& error) {
      return lose(record.job, error.what());
    }
    if (record.done) {
      ++counts_.done;
    } else if (ended.waiting.attempts < most_attempts && worth_another_attempt(record)) {
      note("{}: {}; it is tried once more", record.job.name, record.error);
      ended.waiting.alone = true;
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
  std::string machine_;
  int cores_ = 1;
  int per_process_ = 1;
  std::vector<int> gpu_loads_;  // jobs that run on each
  int last_number_ = 0;
  std::deque<Waiting> waiting_;
  std::vector<std::unique_ptr<Running>> running_;
  std::vector<std::unique_ptr<Host>> hosts_;  // after running_: ended before the claims of their jobs are given up
  BatchCounts counts_;
  Stopwatch elapsed_;
  double ended_work_ = 0;  // since then
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
