// Files that a page sends are tracked: the page opens a job, sends its files, says what they show, and is told how far it
// is and where the results are. Jobs are done one after the other, by a thread of their own.
#pragma once

#include "serve/conversation.h"
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

/// What whoever tracks is given.
class Job {
public:
  Job(std::string own_id, std::string own_kind, std::filesystem::path from, std::filesystem::path to)
      : id(std::move(own_id)), kind(std::move(own_kind)), input(std::move(from)), results(std::move(to)) {}

  const std::string id;
  const std::string kind;               ///< body, head or face
  const std::filesystem::path input;    ///< the folder with what was sent
  const std::filesystem::path results;  ///< the folder for what comes of it

  std::string note;  ///< for the page, beside the results

  /// `total` 0: not known. Throws Cancelled where nobody waits for the result any more.
  void progress(std::size_t done, std::size_t total);
  struct Cancelled {};

private:
  friend class JobDesk;
  friend class JobPartner;
  void tell_end(const Packet& packet);
  std::string told(const std::string& text) const;

  std::mutex mutex_;
  Answers* page_ = nullptr;  // null once it is gone
  std::atomic<bool> cancelled_ = false;
};

using RunJob = std::function<void(Job&)>;

/// The queue that all pages share.
class JobDesk {
public:
  JobDesk(Uploads& uploads, RunJob run);
  ~JobDesk();

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

/// Wishes: {"do":"job"}, answered by {"say":"job","id":...}; files then go to PUT /upload/ID/NAME; {"do":"track","id":...,
/// "kind":"body"} starts it, {"do":"cancel"} ends it. Told: {"say":"progress","id","done","total"}, {"say":"result","id",
/// "files","text"}, whose files lie at /result/ID/NAME, or {"say":"failed","text"}.
class JobPartner final : public Partner {
public:
  JobPartner(Answers& answers, JobDesk& desk) : answers_(answers), desk_(desk) {}
  ~JobPartner() override;

  std::vector<std::string> offers() const override { return {"files"}; }
  bool wish(const std::string& what, const nlohmann::json& header) override;
  bool message(const std::string&, const Message&) override { return false; }

private:
  void open();
  void track(const nlohmann::json& header);
  void drop();

  Answers& answers_;
  JobDesk& desk_;
  std::string id_;  // of the one job that a page may have
  std::shared_ptr<Job> job_;
};

}  // namespace kinema::serve
