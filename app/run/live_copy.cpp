#include "app/run/live_copy.h"

#include "io/files/input_file.h"
#include "kinema/error.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <ctime>

namespace kinema::app {
namespace {

// One that does not exist: two may begin within a second.
std::filesystem::path free_folder(const std::filesystem::path& place) {
  const std::string name = fmt::format("recording-{:%Y%m%d-%H%M%S}", fmt::localtime(std::time(nullptr)));
  std::filesystem::path folder = place / name;
  for (int number = 2; io::is_there(folder); ++number) folder = place / fmt::format("{}-{}", name, number);
  return folder;
}

}  // namespace

LiveCopy::~LiveCopy() { end(); }

void LiveCopy::start() {
  if (on_) return;
  const std::filesystem::path folder = free_folder(place_);
  try {
    recording_.start_copy(folder);
    on_ = true;
  } catch (const Error& error) {
    status_ = io::CopyStatus{folder, 0, 0, error.what()};
  }
}

void LiveCopy::end() {
  if (!on_) return;
  on_ = false;
  status_ = recording_.end_copy();
}

const std::optional<io::CopyStatus>& LiveCopy::status() {
  if (on_) status_ = recording_.copy();
  if (on_ && status_ && !status_->failed.empty()) end();
  return status_;
}

}  // namespace kinema::app
