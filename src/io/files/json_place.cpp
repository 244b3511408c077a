#include "io/files/json_place.h"

#include "io/files/input_file.h"

#include "kinema/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace kinema::io {
using nlohmann::json;

namespace {

// Our files are three or four levels deep; deeper ones are invalid, and could exhaust the stack.
constexpr int deepest = 32;

std::string line_and_column(std::string_view text, std::size_t byte) {
  const std::string_view before = text.substr(0, byte > 0 ? byte - 1 : 0);
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const std::size_t start = before.rfind('\n');
  const std::size_t column = before.size() - (start == std::string_view::npos ? 0 : start + 1) + 1;
  return text.find('\n') == std::string_view::npos ? fmt::format("column {}", column)
                                                   : fmt::format("line {}, column {}", line, column);
}

}  // namespace

void JsonPlace::fail(const std::string& what) const {
  throw Error(pointer_.empty() ? what : fmt::format("{}: {}", printable(pointer_), what));
}

std::string JsonPlace::kind() const {
  if (value_->is_null()) return "null";
  if (value_->is_object()) return "an object";
  if (value_->is_array()) return fmt::format("an array of {}", value_->size());
  if (value_->is_string()) return "text";
  return value_->is_boolean() ? value_->dump() : fmt::format("the number {}", value_->dump());
}

std::optional<JsonPlace> JsonPlace::find(const std::string& name) const {
  if (!value_->is_object()) fail(fmt::format("is {}; an object {{...}} is needed", kind()));
  const auto found = value_->find(name);
  if (found == value_->end()) return std::nullopt;
  return JsonPlace(*found, pointer_ + "/" + name);
}

JsonPlace JsonPlace::member(const std::string& name) const {
  if (const auto found = find(name)) return *found;
  fail(fmt::format("has no \"{}\": add it", name));
}

std::vector<JsonPlace::Member> JsonPlace::members() const {
  if (!value_->is_object()) fail(fmt::format("is {}; an object {{...}} is needed", kind()));
  std::vector<Member> found;
  for (auto at = value_->begin(); at != value_->end(); ++at) {
    found.push_back({at.key(), JsonPlace(at.value(), pointer_ + "/" + at.key())});
  }
  return found;
}

std::vector<JsonPlace> JsonPlace::elements(std::size_t most) const {
  if (!value_->is_array()) fail(fmt::format("is {}; an array [...] is needed", kind()));
  if (value_->size() > most) fail(fmt::format("has {} elements: at most {} are read", value_->size(), most));
  std::vector<JsonPlace> found;
  for (std::size_t i = 0; i < value_->size(); ++i) {
    found.emplace_back((*value_)[i], fmt::format("{}/{}", pointer_, i));
  }
  return found;
}

void JsonPlace::only(std::initializer_list<std::string_view> known) const {
  for (const Member& member : members()) {
    if (std::find(known.begin(), known.end(), member.name) != known.end()) continue;
    std::string list;
    for (std::string_view name : known) list += fmt::format("{}{}", list.empty() ? "" : ", ", name);
    member.place.fail(fmt::format("is not a name known here: use one of {}", list));
  }
}

double JsonPlace::number() const {
  if (!value_->is_number()) fail(fmt::format("is {}; a number is needed", kind()));
  return value_->get<double>();
}

std::int64_t JsonPlace::whole_number() const {
  // far above any count, and exact as a double too
  constexpr double largest = 9007199254740992.0;
  const double number = this->number();
  if (number != std::floor(number) || std::abs(number) > largest) {
    fail(fmt::format("is {}; a whole number is needed", kind()));
  }
  return static_cast<std::int64_t>(number);
}

std::string JsonPlace::text() const {
  if (!value_->is_string()) fail(fmt::format("is {}; text in quotes is needed", kind()));
  return value_->get<std::string>();
}

Vec3 JsonPlace::vector() const {
  if (!value_->is_array() || value_->size() != 3)
    fail(fmt::format("is {}; three numbers [x, y, z] are needed", kind()));
  const std::vector<JsonPlace> numbers = elements(3);
  return {numbers[0].number(), numbers[1].number(), numbers[2].number()};
}

json parse_json(std::string_view text) {
  std::vector<std::set<std::string>> names;  // names of the open objects, since the last of two would win silently
  const json::parser_callback_t watch = [&](int depth, json::parse_event_t event, json& parsed) {
    if (depth > deepest) throw Error(fmt::format("is nested more than {} deep: such a file is not read here", deepest));
    if (event == json::parse_event_t::object_start) names.emplace_back();
    if (event == json::parse_event_t::object_end) names.pop_back();
    if (event == json::parse_event_t::key && !names.back().insert(parsed.get<std::string>()).second) {
      throw Error(fmt::format("has \"{}\" twice in one object: keep one", printable(parsed.get<std::string>())));
    }
    return true;
  };
  try {
    return json::parse(text.begin(), text.end(), watch);
  } catch (const json::parse_error& error) {
    const std::string_view why = error.byte > text.size() ? "it ends too early" : "something does not belong here";
    throw Error(fmt::format("is not JSON ({}: {}): mend it there, or write the file again",
                            line_and_column(text, error.byte), why));
  } catch (const json::out_of_range&) {
    throw Error("has a number that is too large for a double: give a finite one");
  }
}

std::string exact_number(double value) { return json(value).dump(); }

std::string json_text(std::string_view text) {
  try {
    return json(text).dump();
  } catch (const json::exception&) {
    throw Error(fmt::format("the name '{}' is not UTF-8: rename it", printable(text)));
  }
}

std::string json_times(const std::vector<StageTime>& times) {
  std::string text;
  for (const StageTime& time : times) {
    text += fmt::format("{}{}:{:.3f}", text.empty() ? "" : ",", json_text(time.stage), time.ms);
  }
  return "{" + text + "}";
}

}  // namespace kinema::io
