// The words of a command line: verbs, and options that fill variables. CLI11 reads them; only command_line.cpp and
// main.cpp see it, since its headers cost each source that includes them several seconds.
#pragma once

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

/// An option of a verb, as long as it is being described.
class Option {
public:
  explicit Option(CLI::Option& option) : option_(&option) {}

  /// What stands for its value in the help: "DIR", "N".
  Option& type(const std::string& name);
  Option& required();
  /// The help shows the value that the variable has now.
  Option& show_default();
  Option& show_default(const std::string& text);
  /// The heading in the help that it stands under.
  Option& group(const std::string& heading);
  /// Several values, with commas between them.
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

/// A verb, or what verbs stand below. It does not own what it describes: copies speak of the same verb.
class Verb {
public:
  explicit Verb(CLI::App& app) : app_(&app) {}

  Verb add(const std::string& name, const std::string& description);
  void footer(const std::string& text);
  /// Called where the line holds this verb, once its options are read.
  void chosen(std::function<void()> call);

  /// Defined for the types that options have: numbers, text, a path, std::optional<double>, lists.
  template <class T>
  Option option(const std::string& names, T& value, const std::string& help);

  /// An option whose text `read` understands; it throws Error where it does not.
  Option text(const std::string& names, std::function<void(const std::string&)> read, const std::string& help);

  /// An option that is one of some words, which the help lists, with the one that stands for what `value` is now.
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

  /// True where the line holds it; "!--no-x" makes it false.
  Option flag(const std::string& name, bool& value, const std::string& help);

  /// Calls `set` where the line holds it. Options are read in the order in which they were described: those that follow
  /// may change what it set.
  Option preset(const std::string& name, std::function<void()> set, const std::string& help);

private:
  CLI::App* app_;
};

/// The parts of a text between separators; at least one.
std::vector<std::string> split(const std::string& text, char separator);

}  // namespace kinema::app
