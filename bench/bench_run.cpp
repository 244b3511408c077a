#include "bench/bench_run.h"

#include <fmt/format.h>

#include <cstdio>

namespace kinema::bench {

ResultFiles::ResultFiles(const BenchOptions& options, const std::string& name) : json_(options.json) {
  if (options.out.empty()) return;
  io::make_folder(options.out);
  for (const char* ending : {".txt", ".json", ".html"})
    files_.push_back(std::make_unique<io::OutputFile>(options.out / (name + ending)));
  page_ = options.out / (name + ".html");
}

void ResultFiles::publish(const std::string& text, const std::string& json, const report::Report& page) {
  write(text, json, page);
  std::fputs((json_ ? json : text).c_str(), stdout);
}

void ResultFiles::write(const std::string& text, const std::string& json, const report::Report& page) {
  const std::string html = files_.empty() ? "" : report::to_html(page);
  const std::string* contents[] = {&text, &json, &html};
  for (std::size_t i = 0; i < files_.size(); ++i) files_[i]->write(*contents[i]);
  for (const auto& file : files_) file->commit();
  if (!files_.empty()) say(fmt::format("wrote {}", page_.string()));
}

void say(const std::string& line) { fmt::print(stderr, "{}\n", line); }

}  // namespace kinema::bench
