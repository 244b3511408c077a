#include "serve/job_partner.h"

#include "kinema/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace kinema::serve {
namespace {

Packet packet(const nlohmann::ordered_json& json) {
  return Packet::text(json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

}  // namespace

void Job::progress(std::size_t done, std::size_t total) {
  if (cancelled_) throw Cancelled{};
  const std::lock_guard lock(mutex_);
  if (page_ == nullptr) return;
  page_->newest("progress", packet({{"say", "progress"}, {"id", id}, {"done", done}, {"total", total}}));
}

// The last word: no progress is told after it.
void Job::tell_end(const Packet& words) {
  const std::lock_guard lock(mutex_);
  if (page_ == nullptr) return;
  page_->newest("progress", std::nullopt);
  page_->reply(words);
}

// A message about the job's files, which pages know by the names that they gave them.
std::string Job::told(const std::string& text) const {
  const std::string folder = input.string() + "/";
  std::string result = text;
  for (auto at = result.find(folder); at != std::string::npos; at = result.find(folder))
    result.erase(at, folder.size());
  return result;
}

JobDesk::JobDesk(Uploads& uploads, RunJob run) : uploads_(uploads), run_(std::move(run)) {
  thread_ = std::thread([this] { work(); });
}

JobDesk::~JobDesk() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
    if (current_) current_->cancelled_ = true;
  }
  news_.notify_one();
  thread_.join();
}

void JobDesk::submit(std::shared_ptr<Job> job) {
  {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(job));
  }
  news_.notify_one();
}

void JobDesk::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    news_.wait(lock, [this] { return ending_ || !waiting_.empty(); });
    if (ending_) return;
    current_ = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    do_job(*current_);
    lock.lock();
    current_.reset();
  }
}

void JobDesk::do_job(Job& job) {
  if (job.cancelled_) return;
  try {
    run_(job);
    std::vector<std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator(job.results)) {
      files.push_back(entry.path().filename().string());
    }
    std::sort(files.begin(), files.end());
    job.tell_end(packet({{"say", "result"}, {"id", job.id}, {"files", files}, {"text", job.note}}));
  } catch (const Job::Cancelled&) {
    // nobody waits
  } catch (const std::exception& error) {
    job.tell_end(packet({{"say", "failed"}, {"id", job.id}, {"text", job.told(error.what())}}));
  }
}

JobPartner::~JobPartner() { drop(); }

// The page is gone, or wants something else.
void JobPartner::drop() {
  if (job_) {
    job_->cancelled_ = true;
    const std::lock_guard lock(job_->mutex_);
    job_->page_ = nullptr;
  }
  job_.reset();
  if (!id_.empty()) desk_.uploads().close(id_);
  id_.clear();
}

void JobPartner::open() {
  drop();
  try {
    id_ = desk_.uploads().open();
  } catch (const Error& error) {
    answers_.reply(packet({{"say", "failed"}, {"text", error.what()}}));
    return;
  }
  const UploadLimits& limits = desk_.uploads().limits();
  answers_.reply(packet({{"say", "job"}, {"id", id_}, {"file_bytes", limits.file_bytes}, {"files", limits.files}}));
}

void JobPartner::track(const nlohmann::json& header) {
  const auto kind = header.at("kind").get<std::string>();
  if (kind != "body" && kind != "head" && kind != "face") throw Error(fmt::format("'{}' is not tracked here", kind));
  if (id_.empty() || header.at("id") != id_ || job_) {
    throw Error("ask for a job, send its files, then let them be tracked");
  }
  job_ = std::make_shared<Job>(id_, kind, desk_.uploads().input_folder(id_), desk_.uploads().result_folder(id_));
  job_->page_ = &answers_;
  desk_.submit(job_);
}

bool JobPartner::wish(const std::string& what, const nlohmann::json& header) {
  if (what == "job") {
    open();
  } else if (what == "track") {
    track(header);
  } else if (what == "cancel") {
    drop();
  } else {
    return false;
  }
  return true;
}

}  // namespace kinema::serve
