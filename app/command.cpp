#include "app/command.h"

#include "kinema/error.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kinema::app {
namespace {

enum ExitCode { done = 0, failed = 1, wrong_call = 2 };

// An error is one line, whatever names it contains.
void print_error(std::string_view message, Console console) {
  std::string line(message);
  while (!line.empty() && (line.back() == '\n' || line.back() == ' ')) line.pop_back();
  for (char& c : line) {
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') c = ' ';
  }
  warn(console.err, "{}", line);
}

Verb add_group(CLI::App& parent, const std::string& name, const std::string& description) {
  CLI::App& group = *parent.add_subcommand(name, description);
  group.require_subcommand(0, 1);
  return Verb(group);
}

// The verb, or the group of verbs, up to which the line was parsed.
const CLI::App* last_verb(const CLI::App& command) {
  const CLI::App* at = &command;
  while (!at->get_subcommands().empty()) at = at->get_subcommands().front();
  return at;
}

// "kinema body likelihood", as far as the line was parsed.
std::string understood(const CLI::App& command) {
  std::string words = command.get_name();
  const CLI::App* at = &command;
  while (!at->get_subcommands().empty()) {
    at = at->get_subcommands().front();
    words += " " + at->get_name();
  }
  return words;
}

// A hint if the line ends before a verb.
void print_verbs(const CLI::App& command, Console console) {
  const CLI::App* at = last_verb(command);
  fmt::print(console.err, "usage: {} VERB [OPTIONS]\n\n", understood(command));
  for (const CLI::App* verb : at->get_subcommands([](const CLI::App*) { return true; })) {
    fmt::print(console.err, "  {:<12} {}\n", verb->get_name(), verb->get_description());
  }
  fmt::print(console.err, "\n{} --help says more.\n", understood(command));
}

// The restricted Damerau-Levenshtein distance: rows of its table are prefixes of `a`, columns prefixes of `b`.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> table(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        table[i][j] = i + j;
        continue;
      }
      const std::size_t changed = table[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      table[i][j] = std::min({changed, table[i - 1][j] + 1, table[i][j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        table[i][j] = std::min(table[i][j], table[i - 2][j - 2] + 1);
    }
  }
  return table[a.size()][b.size()];
}

// The one of `words` that differs least from `typed`, by letters left out, added, changed or exchanged with their
// neighbour; "" if all differ in more than a third of its letters.
std::string near_word(std::string_view typed, const std::vector<std::string>& words) {
  constexpr std::size_t longest = 64;  // more is no word that was mistyped
  if (typed.size() > longest) return "";
  std::string nearest;
  std::size_t least = std::max<std::size_t>(1, typed.size() / 3) + 1;
  for (const std::string& word : words) {
    const std::size_t far = distance(typed, word);
    if (far >= least) continue;
    least = far;
    nearest = word;
  }
  return nearest;
}

// What to write in place of the first word that was not understood; "" if nothing comes near it.
std::string correction(const CLI::App& command) {
  const CLI::App* at = last_verb(command);
  const std::vector<std::string> words = at->remaining();
  const auto is_option = [](const std::string& word) { return word.size() > 1 && word.front() == '-'; };
  // the value of an option that is not understood is none either
  const auto wrong = std::find_if(words.begin(), words.end(), [&](const std::string& word) {
    return is_option(word) || !at->get_subcommands([](const CLI::App*) { return true; }).empty();
  });
  if (wrong == words.end()) return "";
  std::vector<std::string> known;
  if (!is_option(*wrong)) {
    for (const CLI::App* verb : at->get_subcommands([](const CLI::App*) { return true; })) {
      if (!verb->get_group().empty()) known.push_back(verb->get_name());
    }
    const std::string near = near_word(*wrong, known);
    return near.empty() ? "" : fmt::format("{} is no verb of {}: did you mean {}?", *wrong, understood(command), near);
  }
  for (const CLI::Option* option : at->get_options()) {
    for (const std::string& name : option->get_lnames()) known.push_back(name);
  }
  const std::string typed = wrong->substr(0, wrong->find('='));
  const std::size_t begin = typed.find_first_not_of('-');
  const std::string near = begin == std::string::npos ? "" : near_word(typed.substr(begin), known);
  return near.empty() ? "" : fmt::format("{} is no option of {}: did you mean --{}?", typed, understood(command), near);
}

int report_parse_error(const CLI::App& command, const CLI::ParseError& error, bool first, Console console) {
  if (error.get_exit_code() == 0) return first ? command.exit(error) : done;  // --help, --version
  if (!first) return wrong_call;
  // a required option that is missing may be one that was mistyped
  const std::string corrected = correction(command);
  print_error(fmt::format("{} (see {} --help)", corrected.empty() ? error.what() : corrected, understood(command)),
              console);
  return wrong_call;
}

nlohmann::ordered_json names(const CLI::Option& option) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const std::string& name : option.get_snames()) list.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) list.push_back("--" + name);
  return list;
}

nlohmann::ordered_json entry(const CLI::Option& option) {
  nlohmann::ordered_json json;
  json["names"] = names(option);
  if (option.get_positional()) json["position"] = option.get_name(true);
  if (option.get_expected_max() > 0) json["value"] = option.get_type_name();
  if (const std::string text = option.get_default_str(); !text.empty()) json["default"] = text;
  if (option.get_required()) json["required"] = true;
  json["group"] = option.get_group();
  json["help"] = option.get_description();
  return json;
}

// What the command line takes: its verbs, their options and help, but for those that the help hides. Manual pages and the
// completion of shells are made of it (scripts/make_manual.py), so that they say what --help says.
nlohmann::ordered_json command_table(const CLI::App& command) {
  nlohmann::ordered_json json;
  json["name"] = command.get_name();
  json["help"] = command.get_description();
  if (const std::string footer = command.get_footer(); !footer.empty()) json["footer"] = footer;
  json["options"] = nlohmann::ordered_json::array();
  for (const CLI::Option* option : command.get_options()) {
    if (!option->get_group().empty()) json["options"].push_back(entry(*option));
  }
  json["verbs"] = nlohmann::ordered_json::array();
  for (const CLI::App* verb : command.get_subcommands([](const CLI::App* app) { return !app->get_group().empty(); }))
    json["verbs"].push_back(command_table(*verb));
  return json;
}

int run(std::vector<std::string> words, const Ranks& ranks, Console console) {
  CLI::App command("Tracks people with models instead of networks: body, head, face.", "kinema");
  command.set_version_flag("--version", "kinema " + build().version);
  command.require_subcommand(0, 1);
  Task task;
  task.console = console;
  task.words = words;
  add_devices(Verb(command), task);
  add_cameras(Verb(command), task);
  add_record(Verb(command), task);
  add_batch(Verb(command), task);
  add_batch_worker(Verb(command), task);
  add_demo(Verb(command), task);
  add_serve(Verb(command), task);
  add_track(Verb(command), task);
  const Verb body = add_group(command, "body", "The body, from stereo or depth points");
  add_body_likelihood(body, task);
  add_body_evaluate(body, task);
  add_body_simulate(body, task);
  add_body_track(body, task);
  const Verb stereo = add_group(command, "stereo", "Stereo cameras");
  add_stereo_calibrate(stereo, task);
  const Verb head = add_group(command, "head", "The head, from colour video");
  add_head_calibrate(head, task);
  add_head_track(head, task);
  const Verb face = add_group(command, "face", "The face, from images: landmarks by an appearance model");
  add_face_draw(face, task);
  add_face_film(face, task);
  add_face_train(face, task);
  add_face_fit(face, task);
  add_face_evaluate(face, task);
  add_face_info(face, task);
  const Verb bench = add_group(command, "bench", "Repeat the tables and figures of the papers on this machine");
  add_bench_body(bench, task);
  add_bench_head(bench, task);
  add_bench_face(bench, task);
  add_bench_papers(bench, task);
  Verb table = Verb(command).add("command-table", "Print the verbs and their options as JSON");
  table.hide();
  table.chosen([&command, &task] { task.run = [&command](const Ranks&) { print_json(command_table(command)); }; });

  try {
    std::reverse(words.begin(), words.end());  // as CLI11 wants them
    command.parse(std::move(words));
  } catch (const CLI::ParseError& error) {
    return report_parse_error(command, error, ranks.first(), console);
  } catch (const Error& error) {
    throw AgreedError(error.what(), error.cause());  // every rank parses the same line
  }
  if (!task.run) {
    if (ranks.first()) print_verbs(command, console);
    return wrong_call;
  }
  if (ranks.not_built_in() && task.shared && task.needs_mpi)
    throw Error("mpirun started several processes, but MPI is not built in: install it and build again, or start one");
  if (!ranks.first() && !task.shared) return done;
  task.run(ranks);

  // output that could not be written is a failure too
  errno = 0;
  if (std::fflush(console.out) != 0 || std::ferror(console.out)) {
    throw Error(fmt::format("standard output could not be written: {}", std::strerror(errno)), Error::Cause::running);
  }
  return done;
}

}  // namespace

int run_command(const std::vector<std::string>& words, const Ranks& ranks, Console console) {
  const auto end = [&](const char* message, int exit_code) {
    print_error(message, console);
    if (ranks.count() > 1) ranks.abort(exit_code);
    return exit_code;
  };
  const auto exit_code = [](const Error& error) { return error.cause() == Error::Cause::input ? wrong_call : failed; };
  try {
    return run(words, ranks, console);
  } catch (const AgreedError& error) {
    if (ranks.first()) print_error(error.what(), console);
    return exit_code(error);
  } catch (const Error& error) {
    return end(error.what(), exit_code(error));
  } catch (const std::bad_alloc&) {
    return end("there is not enough memory", failed);
  } catch (const std::exception& error) {
    return end(error.what(), failed);
  }
}

}  // namespace kinema::app
