#include "io/files/stored_values.h"

#include "io/files/input_file.h"
#include "io/files/json_place.h"
#include "io/files/text.h"
#include "kinema/error.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <limits>
#include <optional>

namespace kinema::io {
namespace {

using Values = std::map<std::string, StoredValue>;
using Kind = StoredValue::Kind;

constexpr std::string_view blanks = " \t\r\n";

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = std::min(text.find_first_not_of(blanks), text.size());
  text.remove_prefix(begin);
  return text.substr(0, text.find_last_not_of(blanks) + 1);
}

// OpenCV writes .Nan, .Inf and -.Inf.
std::optional<double> stored_number(std::string_view word) {
  std::string_view letters = word;
  const bool negative = letters.starts_with('-');
  if (negative || letters.starts_with('+')) letters.remove_prefix(1);
  if (letters == ".Nan" || letters == ".nan" || letters == ".NaN") return std::numeric_limits<double>::quiet_NaN();
  if (letters == ".Inf" || letters == ".inf") return (negative ? -1 : 1) * std::numeric_limits<double>::infinity();
  return number_in(word);
}

// Words separated by blanks and commas.
StoredValue list_of(std::string_view text) {
  StoredValue value;
  value.kind = Kind::list;
  for (std::string_view word = take_word(text, " \t\r\n,"); !word.empty(); word = take_word(text, " \t\r\n,")) {
    const auto number = stored_number(word);
    value.only_numbers = value.only_numbers && number;
    if (number) value.numbers.push_back(*number);
  }
  return value;
}

StoredValue scalar_of(std::string_view word) {
  StoredValue value;
  if (const auto number = stored_number(word)) {
    value.kind = Kind::number;
    value.numbers.push_back(*number);
  }
  return value;
}

// A value of YAML: the text after the colon, and the indented lines below.
class YamlValue {
public:
  YamlValue(std::string_view text, std::size_t line) : text_(trimmed(text)), line_(line) {
    if (text_.starts_with('!')) {  // a tag, such as !!opencv-matrix
      take_word(text_, blanks);
      text_ = trimmed(text_);
    }
  }

  StoredValue read() const {
    if (text_.starts_with('[')) return flow_list(text_);
    if (text_.starts_with("- ") || text_.starts_with("-\n")) return block_list(text_);
    if (const auto data = behind_data()) {
      return data->starts_with('[') ? flow_list(*data) : block_list(*data);
    }
    return text_.find('\n') == std::string_view::npos ? scalar_of(text_) : StoredValue{};
  }

private:
  // The text after "data:" at the beginning of a line, or in a map in braces.
  std::optional<std::string_view> behind_data() const {
    const bool braces = text_.starts_with('{');
    for (std::size_t at = text_.find("data"); at != std::string_view::npos; at = text_.find("data", at + 1)) {
      const char before = at == 0 ? '\n' : text_[at - 1];
      const std::string_view rest = trimmed(text_.substr(at + 4));
      const bool begins =
          before == '\n' || before == ' ' || before == '\t' || (braces && (before == '{' || before == ','));
      if (begins && rest.starts_with(':')) return trimmed(rest.substr(1));
    }
    return std::nullopt;
  }

  StoredValue flow_list(std::string_view text) const {
    const std::size_t end = text.find(']');
    if (end == std::string_view::npos)
      throw Error(fmt::format("line {}: a list begins with '[' and does not end", line_));
    return list_of(text.substr(1, end - 1));
  }

  // "- 1" on each line, up to the first line of another form.
  static StoredValue block_list(std::string_view text) {
    StoredValue value;
    TextReader lines(text);
    while (const auto line = lines.line()) {
      std::string_view word = trimmed(*line);
      if (!word.starts_with('-')) break;
      word = trimmed(word.substr(1));
      value.kind = Kind::list;
      const auto number = stored_number(word);
      value.only_numbers = value.only_numbers && number;
      if (number) value.numbers.push_back(*number);
    }
    return value;
  }

  std::string_view text_;
  std::size_t line_;
};

Values read_yaml(std::string_view text) {
  Values values;
  TextReader lines(text);
  std::string name, value;
  std::size_t begin = 0;
  const auto keep = [&] {
    if (!name.empty()) values.emplace(name, YamlValue(value, begin).read());
    name.clear();
    value.clear();
  };
  while (const auto read = lines.line()) {
    const std::string_view line = *read;
    const std::string_view words = trimmed(line);
    if (words.empty() || words.starts_with('#') || words.starts_with('%') || words == "---" || words == "...") continue;
    if (line[0] == ' ' || line[0] == '\t' || line[0] == '-') {
      if (name.empty()) throw Error(fmt::format("line {}: is indented and belongs to nothing", lines.line_number()));
      value += fmt::format("\n{}", words);
      continue;
    }
    keep();
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos || colon == 0) {
      throw Error(fmt::format("line {}: '{}' is not a 'name: value'", lines.line_number(), printable(line)));
    }
    std::string_view key = trimmed(line.substr(0, colon));
    if (key.size() > 1 && key.front() == '"' && key.back() == '"') key = key.substr(1, key.size() - 2);
    name = std::string(key);
    value = std::string(line.substr(colon + 1));
    begin = lines.line_number();
  }
  keep();
  return values;
}

// Successive tags of XML. Attributes, comments and everything that begins with ? or ! are skipped.
class XmlReader {
public:
  explicit XmlReader(std::string_view text) : text_(text) {}

  struct Tag {
    std::string_view name;
    std::string_view before;  // the text between the last tag and this one
    bool opens = false, closes = false;
  };

  std::optional<Tag> next() {
    for (;;) {
      const std::size_t from = at_, open = text_.find('<', at_);
      if (open == std::string_view::npos) return std::nullopt;
      const bool comment = text_.substr(open).starts_with("<!--");
      const std::size_t end = text_.find(comment ? "-->" : ">", open);
      if (end == std::string_view::npos) fail("a tag does not end");
      at_ = end + (comment ? 3 : 1);
      std::string_view inner = text_.substr(open + 1, end - open - 1);
      if (comment || inner.starts_with('?') || inner.starts_with('!')) continue;
      Tag tag;
      tag.before = text_.substr(from, open - from);
      tag.opens = !inner.starts_with('/');
      tag.closes = !tag.opens || inner.ends_with('/');
      if (!tag.opens) inner.remove_prefix(1);
      if (tag.opens && tag.closes) inner.remove_suffix(1);
      tag.name = take_word(inner, blanks);
      if (tag.name.empty()) fail("a tag has no name");
      return tag;
    }
  }

  [[noreturn]] void fail(const char* what) const {
    throw Error(fmt::format("line {}: is not XML: {}", line_of(text_, at_), what));
  }

private:
  std::string_view text_;
  std::size_t at_ = 0;
};

// opencv_storage> <name> numbers </name> <name> ... <data> numbers </data> </name> </opencv_storage>; a list may be
// enclosed in <_> and </_>.
Values read_xml(std::string_view text) {
  Values values;
  XmlReader reader(text);
  const auto root = reader.next();
  if (!root || !root->opens || root->closes) reader.fail("it has no outer tag");
  std::vector<std::string_view> open;  // below the root
  std::string words, data;
  bool has_data = false, has_others = false;
  while (const auto tag = reader.next()) {
    const bool in_data = std::find(open.begin(), open.end(), "data") != open.end();
    if (!open.empty()) (in_data ? data : words) += fmt::format("{} ", tag->before);
    if (tag->opens) {
      if (open.empty()) words.clear(), data.clear(), has_data = has_others = false;
      has_data = has_data || (open.size() == 1 && tag->name == "data");
      has_others = has_others || (!open.empty() && tag->name != "data" && tag->name != "_");
      if (open.size() > 64) reader.fail("it is nested deeper than any calibration");
      open.push_back(tag->name);
    }
    if (!tag->closes) continue;
    if (open.empty()) return values;  // the root
    if (open.back() != tag->name) reader.fail("a tag closes that is not open");
    open.pop_back();
    if (!open.empty()) continue;
    StoredValue value = list_of(has_data ? data : words);
    if (!has_data && has_others) value = {};
    if (!has_data && value.numbers.size() == 1 && value.only_numbers) value.kind = Kind::number;
    if (!has_data && value.numbers.empty()) value = {};
    values.emplace(std::string(tag->name), std::move(value));
  }
  reader.fail("it ends too early");
}

StoredValue json_list(const nlohmann::json& list) {
  StoredValue value;
  value.kind = Kind::list;
  for (const nlohmann::json& element : list) {
    value.only_numbers = value.only_numbers && element.is_number();
    if (element.is_number()) value.numbers.push_back(element.get<double>());
  }
  return value;
}

Values read_json(std::string_view text) {
  Values values;
  const nlohmann::json document = parse_json(text);
  for (const auto& [name, member] : document.items()) {
    StoredValue value;
    if (member.is_number()) {
      value.kind = Kind::number;
      value.numbers.push_back(member.get<double>());
    } else if (member.is_array()) {
      value = json_list(member);
    } else if (member.is_object() && member.contains("data") && member["data"].is_array()) {
      value = json_list(member["data"]);
    }
    values.emplace(name, std::move(value));
  }
  return values;
}

}  // namespace

std::map<std::string, StoredValue> read_stored_values(std::string_view text) {
  if (text.starts_with("%YAML")) return read_yaml(text);
  if (text.starts_with("<?xml")) return read_xml(text);
  if (text.starts_with('{')) return read_json(text);
  throw Error("is not a calibration file: OpenCV's begin with %YAML:1.0, <?xml or {");
}

}  // namespace kinema::io
