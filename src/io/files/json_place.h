// A JSON value that knows its path, so that every Error names the place (/joints/3/parent) and the remedy.
//
// Only for the readers of src/io: the library's headers do not include JSON.
#pragma once

#include "kinema/points.h"
#include "kinema/stage_time.h"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kinema::io {

/// A view of a value in a document owned by the caller. All members throw Error with "PLACE: what; remedy".
class JsonPlace {
public:
  explicit JsonPlace(const nlohmann::json& value, std::string pointer = "")
      : value_(&value), pointer_(std::move(pointer)) {}

  const nlohmann::json& value() const { return *value_; }
  bool is_null() const { return value_->is_null(); }
  bool is_object() const { return value_->is_object(); }
  bool is_array() const { return value_->is_array(); }
  bool is_text() const { return value_->is_string(); }

  /// A member of an object; if it is missing, `member` throws and `find` returns nothing.
  JsonPlace member(const std::string& name) const;
  std::optional<JsonPlace> find(const std::string& name) const;

  struct Member;
  std::vector<Member> members() const;

  /// The elements of an array of at most `most` elements.
  std::vector<JsonPlace> elements(std::size_t most) const;

  /// Refuses members of an object that are not in the list: a misspelt name would otherwise be ignored silently.
  void only(std::initializer_list<std::string_view> known) const;

  double number() const;  ///< finite
  std::int64_t whole_number() const;
  std::string text() const;
  Vec3 vector() const;  ///< [x, y, z]

  [[noreturn]] void fail(const std::string& what) const;

private:
  std::string kind() const;

  const nlohmann::json* value_;
  std::string pointer_;
};

struct JsonPlace::Member {
  std::string name;
  JsonPlace place;
};

/// A document without repeated names and of bounded depth. Throws Error that starts with the position in the text.
nlohmann::json parse_json(std::string_view text);

/// A number that reads back bit for bit.
std::string exact_number(double value);

/// Text as a quoted JSON string. Throws Error if it is not UTF-8.
std::string json_text(std::string_view text);

/// {"STAGE":MILLISECONDS,...}
std::string json_times(const std::vector<StageTime>& times);

}  // namespace kinema::io
