// The command line: verbs, and options that set variables. CLI11 parses it; only command.cpp and command_line.cpp include it,
// since its headers cost every source several seconds of compilation.
#pragma once

#include "app/options/lengths.h"
#include "kinema/error.h"

#include <fmt/format.h>

#include <concepts>
#include <functional>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace kinema::app {

/// An option of a verb, while it is being defined.
class Option {
public:
  explicit Option(CLI::Option& option) : option_(&option) {}

  /// The placeholder of its value in the help: "DIR", "N".
  Option& type(const std::string& name);
  Option& required();
  /// The help shows the current value of the variable as the default.
  Option& show_default();
  Option& show_default(const std::string& text);
  /// The heading in the help under which it is listed.
  Option& group(const std::string& heading);
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
  Option& between_whole(long low, long high);
  Option& between_real(double low, double high);

  CLI::Option* option_;
};

/// A verb, or a group of verbs. It does not own what it describes: copies refer to the same verb.
class Verb {
public:
  explicit Verb(CLI::App& app) : app_(&app) {}

  Verb add(const std::string& name, const std::string& description);
  void footer(const std::string& text);
  /// Not listed in the help: for processes that kinema starts itself.
  void hide();
  /// Called if the line contains this verb, after its options are read.
  void chosen(std::function<void()> call);

  /// Defined for the types of options: numbers, text, a path, std::optional<double>, lists.
  template <class T>
  Option option(const std::string& names, T& value, const std::string& help);

  /// An option whose text is parsed by `read`, which throws Error if it is invalid.
  Option text(const std::string& names, const std::function<void(const std::string&)>& read, const std::string& help);

  /// A length in metres, or with its unit ("180cm"): of float, double or std::optional<double>.
  template <class T>
  Option length(const std::string& name, T& value, const std::string& help) {
    return text(
               name, [name, &value](const std::string& word) { value = static_cast<T>(parse_metres(name, word)); },
               help)
        .type("M");
  }
  template <class T>
  Option length(const std::string& name, T& value, const std::string& help, LengthRange range) {
    const auto read = [name, &value, range](const std::string& word) {
      value = static_cast<T>(parse_metres(name, word, range));
    };
    return text(name, read, help).type("M");
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
    return text(name, read, help).type(fmt::format("{}", fmt::join(known, "|"))).show_default(now);
  }

  /// True if the line contains it; "!--no-x" makes it false.
  Option flag(const std::string& name, bool& value, const std::string& help);

  /// Calls `set` if the line contains it. Options are read in the order of their definition: later ones may change what
  /// it set.
  Option preset(const std::string& name, std::function<void()> set, const std::string& help);

private:
  CLI::App* app_;
};

/// The parts of a text between separators; at least one.
std::vector<std::string> split(const std::string& text, char separator);

/// The words of a command line; those with spaces are in quotes.
std::vector<std::string> split_words(const std::string& line);

/// The inverse for a shell: words with other characters than those of plain names are in quotes.
std::string quoted_words(const std::vector<std::string>& words);

}  // namespace kinema::app
