// The command line: verbs, and options that set variables. CLI11 parses it; only command.cpp and command_line.cpp include it,
// since its headers cost every source several seconds of compilation.
#pragma once

#include "kinema/error.h"

#include <fmt/format.h>

#include <concepts>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace kinema::app {

/// Parses and removes a finite number at the start of a text.
std::optional<double> take_number(std::string_view& text);

/// Metres, or with their unit: 1.8, 1.8m, 180cm, 1800mm. Throws Error for anything else.
double parse_metres(const std::string& flag, const std::string& word);

/// What a length may be, in metres.
struct LengthRange {
  double low, high;
};

/// Of something that a camera sees.
inline constexpr LengthRange seen_lengths{0.01, 100};

/// The same within a range.
double parse_metres(const std::string& flag, const std::string& word, LengthRange range);

/// An option of a verb, while it is being defined.
class Option {
public:
  explicit Option(CLI::Option& option) : option_(&option) {}

  Option& required();
  /// The help shows the current value of the variable as the default.
  Option& show_default();
  template <class T>
  Option& show_default(const T& value) {
    return show_text(fmt::format("{}", value));
  }
  /// Several values, separated by commas.
  Option& list();
  Option& one_of(std::initializer_list<const char*> words);
  Option& excludes(const Option& other);

  template <std::integral T>
  Option& between(T low, T high) {
    return between_whole(low, high);
  }
  template <std::floating_point T>
  Option& between(T low, T high) {
    return between_real(low, high);
  }

private:
  Option& show_text(const std::string& text);
  Option& between_whole(long low, long high);
  Option& between_real(double low, double high);

  CLI::Option* option_;
};

/// A verb, or a group of verbs. It does not own what it describes: copies refer to the same verb.
class Verb {
public:
  explicit Verb(CLI::App& app) : app_(&app) {}

  /// The same verb: its options are listed in the help under this heading.
  Verb under(std::string heading) const {
    Verb verb = *this;
    verb.heading_ = std::move(heading);
    return verb;
  }

  Verb add(const std::string& name, const std::string& description);
  void footer(const std::string& text);
  /// Not listed in the help: for processes that kinema starts itself.
  void hide();
  /// Called if the line contains this verb, after its options are read.
  void chosen(std::function<void()> call);

  /// Defined for the types of options: numbers, text, a path, std::optional<double>, lists. `type`: the placeholder of its
  /// value in the help: "DIR", "N".
  template <class T>
  Option option(const std::string& names, T& value, const std::string& type, const std::string& help);

  /// An option whose text is parsed by `read`, which throws Error if it is invalid.
  Option text(const std::string& names, const std::function<void(const std::string&)>& read, const std::string& type,
              const std::string& help);

  /// The same for a function that gives the value.
  template <class T, class Read>
  Option parsed(const std::string& names, T& value, Read read, const std::string& type, const std::string& help) {
    return text(
        names, [&value, read](const std::string& word) { value = read(word); }, type, help);
  }

  /// A length in metres, or with its unit ("180cm"): of float, double or std::optional<double>.
  template <class T>
  Option length(const std::string& name, T& value, const std::string& help) {
    const auto read = [name, &value](const std::string& word) { value = static_cast<T>(parse_metres(name, word)); };
    return text(name, read, "M", help);
  }
  template <class T>
  Option length(const std::string& name, T& value, const std::string& help, LengthRange range) {
    const auto read = [name, &value, range](const std::string& word) {
      value = static_cast<T>(parse_metres(name, word, range));
    };
    return text(name, read, "M", help);
  }

  /// An option that is one of several words, listed in the help; the default is the word for the current `value`.
  template <class T>
  Option choice(const std::string& name, T& value, const std::string& help,
                std::vector<std::pair<std::string, T>> words) {
    std::vector<std::string> known;
    std::string now;
    for (const auto& entry : words) {
      known.push_back(entry.first);
      if (entry.second == value) now = entry.first;
    }
    const auto read = [name, &value, known, words = std::move(words)](const std::string& word) {
      for (const auto& entry : words) {
        if (entry.first == word) {
          value = entry.second;
          return;
        }
      }
      throw Error(fmt::format("{} is '{}': it is one of {}", name, word, fmt::join(known, ", ")));
    };
    return text(name, read, fmt::format("{}", fmt::join(known, "|")), help).show_default(now);
  }

  /// True if the line contains it; "!--no-x" makes it false.
  Option flag(const std::string& name, bool& value, const std::string& help);

  /// Calls `set` if the line contains it. Options are read in the order of their definition: later ones may change what
  /// it set.
  Option preset(const std::string& name, std::function<void()> set, const std::string& help);

private:
  Option listed(CLI::Option& option) const;

  CLI::App* app_;
  std::string heading_;  // "": that of CLI11
};

/// The parts of a text between separators; at least one.
std::vector<std::string> split(const std::string& text, char separator);

/// The same of names of files.
std::vector<std::filesystem::path> split_paths(const std::string& text);

/// The words of a command line; those with spaces are in quotes.
std::vector<std::string> split_words(const std::string& line);

/// The inverse for a shell: words with other characters than those of plain names are in quotes.
std::string quoted_words(const std::vector<std::string>& words);

}  // namespace kinema::app
