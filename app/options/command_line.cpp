#include "app/options/command_line.h"

#include "io/files/input_file.h"
#include "kinema/error.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <iomanip>
#include <optional>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>

namespace kinema::app {

Option& Option::required() {
  option_->required();
  return *this;
}

Option& Option::show_default() {
  option_->capture_default_str();
  return *this;
}

Option& Option::show_text(const std::string& text) {
  option_->default_str(text);
  return *this;
}

Option& Option::list() {
  option_->delimiter(',');
  return *this;
}

// CLI11 would append the allowed values to the type's name; the help lists them in words

Option& Option::one_of(std::initializer_list<const char*> words) {
  option_->check(CLI::IsMember(std::vector<std::string>(words.begin(), words.end())).description(""));
  return *this;
}

Option& Option::between_whole(long low, long high) {
  option_->check(CLI::Range(low, high).description(""));
  return *this;
}

Option& Option::between_real(double low, double high) {
  option_->check(CLI::Range(low, high).description(""));
  return *this;
}

Option& Option::excludes(const Option& other) {
  option_->excludes(other.option_);
  return *this;
}

Verb Verb::add(const std::string& name, const std::string& description) {
  return Verb(*app_->add_subcommand(name, description));
}

void Verb::hide() { app_->group(""); }

void Verb::footer(const std::string& text) { app_->footer(text); }

void Verb::chosen(std::function<void()> call) { app_->callback(std::move(call)); }

Option Verb::listed(CLI::Option& option) const {
  if (!heading_.empty()) option.group(heading_);
  return Option(option);
}

template <class T>
Option Verb::option(const std::string& names, T& value, const std::string& type, const std::string& help) {
  return listed(*app_->add_option(names, value, help)->type_name(type));
}

template Option Verb::option(const std::string&, int&, const std::string&, const std::string&);
template Option Verb::option(const std::string&, long&, const std::string&, const std::string&);
template Option Verb::option(const std::string&, std::uint16_t&, const std::string&, const std::string&);
template Option Verb::option(const std::string&, std::uint32_t&, const std::string&, const std::string&);
template Option Verb::option(const std::string&, std::uint64_t&, const std::string&, const std::string&);
template Option Verb::option(const std::string&, float&, const std::string&, const std::string&);
template Option Verb::option(const std::string&, double&, const std::string&, const std::string&);
template Option Verb::option(const std::string&, std::optional<double>&, const std::string&, const std::string&);
template Option Verb::option(const std::string&, std::filesystem::path&, const std::string&, const std::string&);
template Option Verb::option(const std::string&, std::string&, const std::string&, const std::string&);
template Option Verb::option(const std::string&, std::vector<std::size_t>&, const std::string&, const std::string&);
template Option Verb::option(const std::string&, std::vector<std::string>&, const std::string&, const std::string&);

Option Verb::text(const std::string& names, const std::function<void(const std::string&)>& read,
                  const std::string& type, const std::string& help) {
  return listed(*app_->add_option_function<std::string>(names, read, help)->type_name(type));
}

Option Verb::flag(const std::string& name, bool& value, const std::string& help) {
  if (name.front() != '!') return listed(*app_->add_flag(name, value, help));
  // CLI11's own syntax to disable a value would show in the help
  return preset(
      name.substr(1), [&value] { value = false; }, help);
}

Option Verb::preset(const std::string& name, std::function<void()> set, const std::string& help) {
  return listed(*app_->add_flag_callback(name, std::move(set), help));
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, separator);) parts.push_back(part);
  if (parts.empty()) parts.emplace_back();
  return parts;
}

std::vector<std::filesystem::path> split_paths(const std::string& text) {
  const std::vector<std::string> names = split(text, ',');
  return {names.begin(), names.end()};
}

std::vector<std::string> split_words(const std::string& line) {
  std::vector<std::string> words;
  std::istringstream in(line);
  while (in >> std::ws && in.peek() != std::istringstream::traits_type::eof()) {
    const char first = static_cast<char>(in.peek());
    std::string& word = words.emplace_back();
    if (first == '"' || first == '\'')
      in >> std::quoted(word, first);
    else
      in >> word;
  }
  return words;
}

std::string quoted_words(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) {
    if (!line.empty()) line += ' ';
    const bool plain = !word.empty() && std::all_of(word.begin(), word.end(), [](unsigned char c) {
      return std::isalnum(c) != 0 || c >= 0x80 ||
             std::string_view("_-./,:=+@%").find(static_cast<char>(c)) != std::string_view::npos;
    });
    if (plain) {
      line += word;
      continue;
    }
    line += '\'';
    for (const char c : word) line += c == '\'' ? "'\\''" : std::string(1, c);
    line += '\'';
  }
  return line;
}

std::optional<double> take_number(std::string_view& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || !std::isfinite(value)) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

double parse_metres(const std::string& flag, const std::string& word) {
  std::string_view rest = word;
  const auto number = take_number(rest);
  // divided, so that 180cm is the same number as 1.8
  const double per_metre = rest.empty() || rest == "m" ? 1 : rest == "cm" ? 100 : rest == "mm" ? 1000 : 0;
  if (!number || per_metre == 0) {
    throw Error(
        fmt::format("{} is '{}': give metres, or a unit as in 1.8m, 180cm or 1800mm", flag, io::printable(word)));
  }
  return *number / per_metre;
}

double parse_metres(const std::string& flag, const std::string& word, LengthRange range) {
  const double metres = parse_metres(flag, word);
  if (!(metres >= range.low && metres <= range.high)) {
    throw Error(
        fmt::format("{} is '{}': it is from {} to {} metres", flag, io::printable(word), range.low, range.high));
  }
  return metres;
}

}  // namespace kinema::app
