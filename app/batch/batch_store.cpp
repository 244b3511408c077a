#include "app/batch/batch_store.h"

#include "app/batch/batch_jobs.h"
#include "io/files/input_file.h"
#include "io/files/output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <set>

namespace kinema::app {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

constexpr const char* record_name = "job.json";
constexpr const char* lock_name = "lock";
constexpr std::size_t largest_record = 1 << 24;  // bytes; more is no record of ours

bool is_file_of(int descriptor, const fs::path& path) {
  struct stat ours {
  }, there{};
  return ::fstat(descriptor, &ours) == 0 && ::stat(path.c_str(), &there) == 0 && ours.st_ino == there.st_ino &&
         ours.st_dev == there.st_dev;
}

JobRecord record_of(const ordered_json& json) {
  JobRecord record;
  json.at("name").get_to(record.job.name);
  json.at("input").get_to(record.job.input);
  json.at("tracker").get_to(record.job.tracker);
  json.at("options").get_to(record.job.options);
  record.done = json.at("state") == "done";
  json.at("attempts").get_to(record.attempts);
  json.at("exit").get_to(record.exit_code);
  json.at("signal").get_to(record.signal);
  json.at("cause").get_to(record.cause);
  json.at("error").get_to(record.error);
  json.at("host").get_to(record.host);
  json.at("started").get_to(record.started);
  json.at("threads").get_to(record.threads);
  if (!json.at("gpu").is_null()) record.gpu = json.at("gpu").get<int>();
  json.at("seconds").get_to(record.seconds);
  json.at("cpu_seconds").get_to(record.cpu_seconds);
  json.at("peak_bytes").get_to(record.peak_bytes);
  json.at("bytes_in").get_to(record.bytes_in);
  json.at("bytes_out").get_to(record.bytes_out);
  json.at("files").get_to(record.files);
  record.run = json.at("run");
  return record;
}

// As a record has it.
Job readable_job(Job job) {
  job.input = readable(job.input);
  for (std::string& word : job.options) word = readable(word);
  return job;
}

std::vector<std::string> readable_all(const std::vector<std::string>& texts) {
  std::vector<std::string> made;
  for (const std::string& text : texts) made.push_back(readable(text));
  return made;
}

std::set<std::string> readable_names_in(const fs::path& folder) {
  std::set<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder))
    names.insert(readable(entry.path().filename().string()));
  return names;
}

// Removes what is in a job's folder besides the lock.
void empty(const fs::path& work) {
  std::error_code error, ignored;
  for (fs::directory_iterator at(work, error), end; !error && at != end; at.increment(error)) {
    if (at->path().filename() != lock_name) fs::remove_all(at->path(), ignored);
  }
}

[[noreturn]] void fail(const fs::path& path, int error) {
  throw Error(fmt::format("{}: could not be written: {}", path.string(), std::strerror(error)), Error::Cause::running);
}

}  // namespace

ordered_json to_json(const JobRecord& record) {
  return {{"name", record.job.name},
          {"input", readable(record.job.input)},
          {"tracker", record.job.tracker},
          {"options", readable_all(record.job.options)},
          {"state", record.done ? "done" : "failed"},
          {"attempts", record.attempts},
          {"exit", record.exit_code},
          {"signal", record.signal},
          {"cause", record.cause},
          {"error", readable(record.error)},
          {"host", record.host},
          {"started", record.started},
          {"threads", record.threads},
          {"gpu", record.gpu ? ordered_json(*record.gpu) : nullptr},
          {"seconds", record.seconds},
          {"cpu_seconds", record.cpu_seconds},
          {"peak_bytes", record.peak_bytes},
          {"bytes_in", record.bytes_in},
          {"bytes_out", record.bytes_out},
          {"files", readable_all(record.files)},
          {"run", record.run}};
}

FileLock::FileLock(const fs::path& path, IfHeld if_held) {
  for (;;) {
    file_ = io::Descriptor(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
    if (!held()) fail(path, errno);
    int result = 0;
    do {
      result = ::flock(file_.number(), LOCK_EX | (if_held == IfHeld::give_up ? LOCK_NB : 0));
    } while (result != 0 && errno == EINTR);
    const bool by_another = result != 0 && errno == EWOULDBLOCK;
    // the process that held it may have removed the file since: then the lock is worth nothing
    if (!by_another && is_file_of(file_.number(), path)) return;
    file_ = io::Descriptor();
    if (by_another) return;
  }
}

Claim::Claim(FileLock lock, fs::path work, fs::path results) : work_(std::move(work)), results_(std::move(results)) {
  lock_.emplace(std::move(lock));
  // what a killed process left, whose child may even be alive for another moment: so the folder has a new name
  empty(work_);
  static std::atomic<int> attempts = 0;
  do {
    folder_ = work_ / fmt::format("results-{}-{}", ::getpid(), ++attempts);
  } while (!fs::create_directory(folder_));
}

Claim::~Claim() {
  if (!lock_ || !lock_->held()) return;  // moved from
  empty(work_);
  // from here on another process may lock a new file and work there: then the folder is not empty and stays
  ::unlink((work_ / lock_name).c_str());
  ::rmdir(work_.c_str());
}

void Claim::commit(const JobRecord& record) {
  std::error_code error;
  if (io::is_there(log()) && fs::file_size(log(), error) > 0) fs::rename(log(), folder_ / "log.txt", error);
  io::write_file(folder_ / record_name,
                 to_json(record).dump(1, ' ', false, ordered_json::error_handler_t::replace) + "\n");
  // a folder cannot be renamed over another; a kill between the two renames loses only a result that is out of date
  if (io::is_there(results_)) fs::rename(results_, work_ / "replaced", error);
  if (std::rename(folder_.c_str(), results_.c_str()) != 0) fail(results_, errno);
}

BatchStore::BatchStore(fs::path folder) : folder_(std::move(folder)) {
  io::make_folder(folder_ / "results");
  io::make_folder(folder_ / "work");
}

std::optional<JobRecord> BatchStore::record(const Job& job) const {
  const fs::path path = folder_ / "results" / job.name / record_name;
  if (!io::is_there(path)) return std::nullopt;
  try {
    JobRecord record = record_of(ordered_json::parse(io::read_bytes(path, largest_record)));
    if (!record.job.same_run(readable_job(job))) return std::nullopt;
    const std::set<std::string> names = readable_names_in(path.parent_path());
    const auto there = [&](const std::string& file) { return names.count(file) > 0; };
    if (!std::all_of(record.files.begin(), record.files.end(), there)) return std::nullopt;
    record.job = job;
    return record;
  } catch (const std::exception&) {
    return std::nullopt;  // damaged: the job is run again
  }
}

std::optional<Claim> BatchStore::claim(const Job& job) const {
  const fs::path work = folder_ / "work" / job.name;
  constexpr int most_tries = 100;
  for (int tries = 1;; ++tries) {
    io::make_folder(work);
    try {
      FileLock lock(work / lock_name, FileLock::IfHeld::give_up);
      if (!lock.held()) return std::nullopt;
      return Claim(std::move(lock), work, folder_ / "results" / job.name);
    } catch (const Error&) {
      if (tries == most_tries) throw;  // else a process that has finished the job removed its folder meanwhile
    }
  }
}

FileLock BatchStore::lock_report() const { return {folder_ / "work" / "report.lock", FileLock::IfHeld::wait}; }

}  // namespace kinema::app
