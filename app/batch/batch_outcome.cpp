#include "app/batch/batch_outcome.h"

#include "io/files/input_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <string_view>

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

}  // namespace

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

std::string words_of(const ChildEnd& end) {
  if (end.signal != 0) return fmt::format("ended by signal {} ({})", end.signal, ::strsignal(end.signal));
  return fmt::format("ended with exit code {}", end.exit_code);
}

bool worth_another_attempt(const JobRecord& record) { return record.exit_code != 2 && record.cause != "nobody found"; }

}  // namespace kinema::app
