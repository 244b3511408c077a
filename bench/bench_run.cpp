#include "bench/bench_run.h"

#include "kinema/error.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>

namespace kinema::bench {

ResultFiles::ResultFiles(const BenchOptions& options, const std::string& name) : json_(options.json) {
  if (options.out.empty()) return;
  io::make_folder(options.out);
  for (const char* ending : {".txt", ".json", ".html"})
    files_.push_back(std::make_unique<io::OutputFile>(options.out / (name + ending)));
  page_ = options.out / (name + ".html");
}

void ResultFiles::publish(const std::string& json, const report::Report& page) {
  write(json, page);
  std::fputs((json_ ? json : report::to_text(page)).c_str(), stdout);
}

void ResultFiles::write(const std::string& json, const report::Report& page) {
  if (files_.empty()) return;
  const std::string contents[] = {report::to_text(page), json, report::to_html(page)};
  for (std::size_t i = 0; i < files_.size(); ++i) files_[i]->write(contents[i]);
  for (const auto& file : files_) file->commit();
  say(fmt::format("wrote {}", page_.string()));
}

bool wanted(const std::vector<std::string>& names, std::string_view name) {
  return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
}

void check_names(const char* kind, const std::vector<std::string>& names, std::span<const char* const> known,
                 const std::function<std::string(const std::string&)>& obstacle) {
  for (const std::string& name : names) {
    if (std::find(known.begin(), known.end(), name) == known.end())
      throw Error(fmt::format("there is no {} '{}' to measure: name some of {}", kind, name, fmt::join(known, ", ")));
    if (const std::string reason = obstacle ? obstacle(name) : ""; !reason.empty())
      throw Error(fmt::format("the {} '{}' cannot be measured here: {}", kind, name, reason));
  }
}

void say(const std::string& line) { fmt::print(stderr, "{}\n", line); }

}  // namespace kinema::bench
