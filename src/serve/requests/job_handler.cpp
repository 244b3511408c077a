#include "serve/requests/job_handler.h"

#include "kinema/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace kinema::serve {
namespace {

Packet packet(const nlohmann::ordered_json& json) { return Packet::text(text_of(json)); }

}  // namespace

void Job::progress(std::size_t done, std::size_t total) {
  if (cancelled_) throw Cancelled{};
  const std::lock_guard lock(mutex_);
  if (page_ == nullptr) return;
  page_->newest("progress", packet({{"say", "progress"}, {"id", id}, {"done", done}, {"total", total}}));
}

// The last message: no progress follows it.
void Job::send_end(const Packet& words) {
  const std::lock_guard lock(mutex_);
  if (page_ == nullptr) return;
  page_->newest("progress", std::nullopt);
  page_->reply(words);
}

// A message about files of the job, which pages know by the names that they gave them.
std::string Job::without_folder(const std::string& text) const {
  const std::string folder = input.string() + "/";
  std::string result = text;
  for (auto at = result.find(folder); at != std::string::npos; at = result.find(folder))
    result.erase(at, folder.size());
  return result;
}

JobQueue::JobQueue(Uploads& uploads, RunJob run) : uploads_(uploads), run_(std::move(run)) {
  thread_ = std::thread([this] { work(); });
}

JobQueue::~JobQueue() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
    if (current_) current_->cancelled_ = true;
  }
  news_.notify_one();
  thread_.join();
}

void JobQueue::submit(std::shared_ptr<Job> job) {
  {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(job));
  }
  news_.notify_one();
}

void JobQueue::work() {
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

void JobQueue::do_job(Job& job) {
  if (job.cancelled_) return;
  try {
    run_(job);
    std::vector<std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator(job.results)) {
      files.push_back(entry.path().filename().string());
    }
    std::sort(files.begin(), files.end());
    job.send_end(packet({{"say", "result"}, {"id", job.id}, {"files", files}, {"text", job.note}}));
  } catch (const Job::Cancelled&) {
    // no page waits
  } catch (const std::exception& error) {
    job.send_end(packet({{"say", "failed"}, {"id", job.id}, {"text", job.without_folder(error.what())}}));
  }
}

JobHandler::~JobHandler() { drop(); }

// The page is gone, or requested something else.
void JobHandler::drop() {
  if (job_) {
    job_->cancelled_ = true;
    const std::lock_guard lock(job_->mutex_);
    job_->page_ = nullptr;
  }
  job_.reset();
  if (!id_.empty()) queue_.uploads().close(id_);
  id_.clear();
}

void JobHandler::open() {
  drop();
  try {
    id_ = queue_.uploads().open();
  } catch (const Error& error) {
    sender_.reply(packet({{"say", "failed"}, {"text", error.what()}}));
    return;
  }
  const UploadLimits& limits = queue_.uploads().limits();
  sender_.reply(packet({{"say", "job"}, {"id", id_}, {"file_bytes", limits.file_bytes}, {"files", limits.files}}));
}

void JobHandler::track(const nlohmann::json& header) {
  const auto kind = header.at("kind").get<std::string>();
  if (kind != "body" && kind != "head" && kind != "face") throw Error(fmt::format("'{}' is not tracked here", kind));
  if (id_.empty() || header.at("id") != id_ || job_) {
    throw Error("ask for a job, send its files, then let them be tracked");
  }
  job_ = std::make_shared<Job>(id_, kind, queue_.uploads().input_folder(id_), queue_.uploads().result_folder(id_));
  job_->page_ = &sender_;
  queue_.submit(job_);
}

bool JobHandler::request(const std::string& what, const nlohmann::json& header) {
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
