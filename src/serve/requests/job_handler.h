// Tracks files that a page sends: the page opens a job, sends its files, says what they show, and is told the progress and
// where the results are. Jobs run one after the other, on a thread of their own.
#pragma once

#include "serve/page_session.h"
#include "serve/uploads.h"

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace kinema::serve {

/// What the function that tracks is given.
class Job {
public:
  Job(std::string own_id, std::string own_kind, std::filesystem::path from, std::filesystem::path to)
      : id(std::move(own_id)), kind(std::move(own_kind)), input(std::move(from)), results(std::move(to)) {}

  const std::string id;
  const std::string kind;               ///< body, head or face
  const std::filesystem::path input;    ///< the folder of the files that were sent
  const std::filesystem::path results;  ///< the folder for the results

  std::string note;  ///< for the page, beside the results

  /// `total` 0: unknown. Throws Cancelled where no page waits for the result any more.
  void progress(std::size_t done, std::size_t total);
  struct Cancelled {};

private:
  friend class JobQueue;
  friend class JobHandler;
  void send_end(const Packet& words);
  std::string without_folder(const std::string& text) const;

  std::mutex mutex_;
  PageSender* page_ = nullptr;  // null once it is gone
  std::atomic<bool> cancelled_ = false;
};

using RunJob = std::function<void(Job&)>;

/// The jobs of all pages.
class JobQueue {
public:
  JobQueue(Uploads& uploads, RunJob run);
  ~JobQueue();

  Uploads& uploads() { return uploads_; }
  void submit(std::shared_ptr<Job> job);

private:
  void work();
  void do_job(Job& job);

  Uploads& uploads_;
  RunJob run_;
  std::mutex mutex_;
  std::condition_variable news_;
  std::deque<std::shared_ptr<Job>> waiting_;
  std::shared_ptr<Job> current_;
  bool ending_ = false;
  std::thread thread_;
};

/// Requests: {"do":"job"}, answered by {"say":"job","id":...}; files then go to PUT /upload/ID/NAME; {"do":"track","id":...,
/// "kind":"body"} starts it, {"do":"cancel"} ends it. Sent: {"say":"progress","id","done","total"}, {"say":"result","id",
/// "files","text"}, whose files lie at /result/ID/NAME, or {"say":"failed","text"}.
class JobHandler final : public RequestHandler {
public:
  JobHandler(PageSender& sender, JobQueue& queue) : sender_(sender), queue_(queue) {}
  ~JobHandler() override;

  std::vector<std::string> offers() const override { return {"files"}; }
  bool request(const std::string& what, const nlohmann::json& header) override;

private:
  void open();
  void track(const nlohmann::json& header);
  void drop();

  PageSender& sender_;
  JobQueue& queue_;
  std::string id_;  // of the one job that a page may have
  std::shared_ptr<Job> job_;
};

}  // namespace kinema::serve
