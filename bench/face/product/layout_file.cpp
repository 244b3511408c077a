#include "bench/face/product/layout_file.h"

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <system_error>

namespace kinema {
namespace {

constexpr std::string_view first_line = "kinema: layouts of matrix-vector products, version 1";
constexpr std::size_t most_bytes = 1u << 20;  // a line has about 60

std::vector<std::string_view> split(std::string_view text, char by) {
  std::vector<std::string_view> pieces;
  for (;;) {
    const std::size_t end = text.find(by);
    pieces.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return pieces;
    text.remove_prefix(end + 1);
  }
}

std::optional<int> count_of(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 1) return std::nullopt;
  return value;
}

template <class Choice>
std::optional<Choice> choice_of(std::string_view text, std::initializer_list<Choice> choices) {
  for (const Choice choice : choices)
    if (text == word(choice)) return choice;
  return std::nullopt;
}

// device, rows, columns, owner, rows at once, threads, parts, join
std::optional<MeasuredLayout> parse_line(std::string_view line) {
  using Layout = MatrixVectorLayout;
  const std::vector<std::string_view> fields = split(line, '\t');
  if (fields.size() != 8 || fields[0].empty()) return std::nullopt;
  const auto rows = count_of(fields[1]), columns = count_of(fields[2]), at_once = count_of(fields[4]),
             threads = count_of(fields[5]), parts = count_of(fields[6]);
  const auto owner = choice_of(fields[3], {Layout::Owner::warp, Layout::Owner::block});
  const auto join = choice_of(fields[7], {Layout::Join::none, Layout::Join::last, Layout::Join::cluster});
  if (!rows || !columns || !at_once || !threads || !parts || !owner || !join) return std::nullopt;
  return MeasuredLayout{std::string(fields[0]), *rows, *columns, {*owner, *at_once, *threads, *parts, *join}};
}

}  // namespace

std::filesystem::path cache_folder() {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::filesystem::path(value != nullptr ? value : "");
  };
  if (const auto folder = variable("XDG_CACHE_HOME"); folder.is_absolute()) return folder / "kinema";
  if (const auto home = variable("HOME"); home.is_absolute()) return home / ".cache" / "kinema";
  return {};
}

std::vector<MeasuredLayout> parse_layouts(std::string_view text) {
  std::vector<MeasuredLayout> layouts;
  const std::vector<std::string_view> lines = split(text, '\n');
  if (lines.front() != first_line) return layouts;
  for (std::size_t i = 1; i < lines.size(); ++i)
    if (auto layout = parse_line(lines[i])) layouts.push_back(std::move(*layout));
  return layouts;
}

std::string layouts_text(const std::vector<MeasuredLayout>& layouts) {
  std::string text = fmt::format("{}\n", first_line);
  for (const auto& [device, rows, columns, layout] : layouts)
    text += fmt::format("{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\n", device, rows, columns, word(layout.owner),
                        layout.rows_at_once, layout.threads, layout.parts, word(layout.join));
  return text;
}

LayoutFile LayoutFile::of_user() {
  const std::filesystem::path folder = cache_folder();
  return LayoutFile(folder.empty() ? folder : folder / "matrix_vector.txt");
}

std::vector<MeasuredLayout> LayoutFile::read() const {
  std::ifstream in(path_, std::ios::binary);
  std::string text(most_bytes, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(std::max<std::streamsize>(0, in.gcount())));
  return parse_layouts(text);
}

std::optional<MatrixVectorLayout> LayoutFile::find(const std::string& device, int rows, int columns) const {
  if (path_.empty()) return std::nullopt;
  for (const MeasuredLayout& known : read())
    if (known.device == device && known.rows == rows && known.columns == columns) return known.layout;
  return std::nullopt;
}

bool LayoutFile::keep(const MeasuredLayout& layout) const {
  if (path_.empty()) return false;
  // read again: another process may have added to it
  std::vector<MeasuredLayout> all = read();
  std::erase_if(all, [&](const MeasuredLayout& known) {
    return known.device == layout.device && known.rows == layout.rows && known.columns == layout.columns;
  });
  all.push_back(layout);
  std::error_code failed;
  std::filesystem::create_directories(path_.parent_path(), failed);
  const std::filesystem::path written = path_.string() + fmt::format(".{}", ::getpid());
  {
    std::ofstream out(written, std::ios::binary | std::ios::trunc);
    out << layouts_text(all);
    out.flush();
    if (!out) {
      std::filesystem::remove(written, failed);
      return false;
    }
  }
  std::filesystem::rename(written, path_, failed);
  if (!failed) return true;
  std::error_code ignored;
  std::filesystem::remove(written, ignored);
  return false;
}

}  // namespace kinema
