// kinema batch-worker: a process that kinema batch starts, and that runs the jobs it is told, each in a thread of its
// own. Nothing of a job is kept for the next one but what the process has: memory, CUDA's context and loaded kernels.
#include "app/batch/shared_process.h"
#include "app/command.h"
#include "app/options/interrupt.h"

#include <sys/resource.h>

#include <ctime>
#include <map>
#include <mutex>
#include <thread>

namespace kinema::app {
namespace {

double process_cpu_seconds() {
  timespec time{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

std::uint64_t peak_bytes() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  return static_cast<std::uint64_t>(used.ru_maxrss) * 1024;
}

int run_with_files(const JobCall& call, const Ranks& ranks) {
  const Console console{std::fopen(call.output.c_str(), "we"), std::fopen(call.log.c_str(), "we")};
  int exit_code = 1;
  if (console.out != nullptr && console.err != nullptr) exit_code = run_command(call.words, ranks, console);
  for (std::FILE* file : {console.out, console.err}) {
    if (file != nullptr && std::fclose(file) != 0 && exit_code == 0) exit_code = 1;
  }
  return exit_code;
}

class JobThreads {
public:
  JobThreads(Channel& channel, const Ranks& ranks) : channel_(channel), ranks_(ranks) {}

  // Until nobody sends jobs any more.
  void run() {
    while (const auto message = channel_.receive(Channel::IfNone::wait)) {
      join_ended();
      start(call_of(*message));
    }
    for (auto& [number, thread] : threads_) thread.join();
  }

private:
  void start(JobCall call) {
    const int number = call.number;
    {
      const std::lock_guard lock(mutex_);
      share_cpu_time();
      cpu_seconds_[number] = 0;
    }
    threads_.emplace(number, [this, call = std::move(call)] { finish(call.number, run_with_files(call, ranks_)); });
  }

  void finish(int number, int exit_code) {
    const std::lock_guard lock(mutex_);
    share_cpu_time();
    const double cpu_seconds = cpu_seconds_.extract(number).mapped();
    ended_.push_back(number);
    channel_.send(to_message(JobEnd{number, exit_code, cpu_seconds, peak_bytes()}));
  }

  // What the process has used since the last call, to the jobs that have run since then.
  void share_cpu_time() {
    const double now = process_cpu_seconds();
    for (auto& [number, seconds] : cpu_seconds_) seconds += (now - shared_until_) / cpu_seconds_.size();
    shared_until_ = now;
  }

  void join_ended() {
    std::vector<int> ended;
    {
      const std::lock_guard lock(mutex_);
      ended.swap(ended_);
    }
    for (int number : ended) threads_.extract(number).mapped().join();
  }

  Channel& channel_;  // received from in one thread; sent to with the lock
  const Ranks& ranks_;
  std::map<int, std::thread> threads_;
  std::mutex mutex_;
  std::map<int, double> cpu_seconds_;  // of the jobs under way
  double shared_until_ = process_cpu_seconds();
  std::vector<int> ended_;  // whose threads end
};

}  // namespace

void add_batch_worker(Verb parent, Task& task) {
  Verb verb = parent.add("batch-worker", "Run the jobs that kinema batch sends");
  verb.hide();
  verb.chosen([&task] {
    task.run = [](const Ranks& ranks) {
      const Interrupt
          interrupt;  // one for the process: those of the jobs, which come and go in threads, do nothing then
      Channel channel(channel_descriptor);
      JobThreads(channel, ranks).run();
    };
  });
}

}  // namespace kinema::app
