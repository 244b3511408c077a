// Serialisation of an appearance model. The model is described once (face_model_file.cpp) for two archives with the
// same members: one writes the fields, the other reads them.
//
// Only for face_model_file.cpp.
#pragma once

#include "io/files/json_place.h"
#include "io/files/section_file.h"
#include "kinema/error.h"
#include "kinema/face_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <limits>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kinema::io {

/// A matrix in 16 bits: the elements of a row are whole multiples of its step.
struct SmallMatrix {
  std::vector<std::uint16_t> values;  ///< plus `zero`
  std::vector<float> steps;           ///< one per row

  static constexpr int zero = 32768;
};

inline SmallMatrix small_matrix(const face::Matrix& matrix) {
  SmallMatrix made;
  for (std::size_t i = 0; i < matrix.rows; ++i) {
    float most = 0;
    for (const float value : matrix.row(i)) most = std::max(most, std::abs(value));
    const float step = most > 0 ? most / 32767 : 1;
    made.steps.push_back(step);
    for (const float value : matrix.row(i))
      made.values.push_back(static_cast<std::uint16_t>(SmallMatrix::zero + std::lround(value / step)));
  }
  return made;
}

/// The section beside a small matrix that holds its steps.
inline std::string steps_of(const std::string& section) { return section + "/steps"; }

template <class Enum>
struct Word {
  Enum value;
  std::string_view word;
};

class SavingArchive {
public:
  /// `small`: large matrices are written in 16 bits, kept there until the sections are written; null: as they are.
  SavingArchive(SectionWriter& sections, nlohmann::ordered_json& json, std::deque<SmallMatrix>* small,
                std::string prefix = "")
      : sections_(&sections), json_(&json), small_(small), prefix_(std::move(prefix)) {}

  void value(const char* name, bool& value) { (*json_)[name] = value; }
  void value(const char* name, std::uint32_t& value) { (*json_)[name] = value; }
  void value(const char* name, int& value) { (*json_)[name] = value; }
  void value(const char* name, float& value) { (*json_)[name] = static_cast<double>(value); }
  void value(const char* name, std::string& value) { (*json_)[name] = value; }

  template <class Enum, std::size_t n>
  void choice(const char* name, Enum& value, const std::array<Word<Enum>, n>& words) {
    for (const auto& word : words) {
      if (word.value == value) (*json_)[name] = word.word;
    }
  }

  template <class T>
  void array(const char* name, face::Array<T>& values) {
    if (!values.empty()) sections_->add(prefix_ + name, std::span<const T>(values.data(), values.size()));
  }
  void matrix(const char* name, face::Matrix& matrix) {
    (*json_)[name] = {matrix.rows, matrix.columns};
    if (small_ == nullptr || matrix.columns < least_small) return array(name, matrix.values);
    const SmallMatrix& kept = small_->emplace_back(small_matrix(matrix));
    sections_->add(prefix_ + name, std::span<const std::uint16_t>(kept.values));
    sections_->add(steps_of(prefix_ + name), std::span<const float>(kept.steps));
  }

  template <class Describe>
  void object(const char* name, Describe describe) {
    SavingArchive inner(*sections_, (*json_)[name] = nlohmann::ordered_json::object(), small_, prefix_ + name + "/");
    describe(inner);
  }
  template <class T, class Describe>
  void list(const char* name, std::vector<T>& values, std::size_t, Describe describe) {
    nlohmann::ordered_json& all = (*json_)[name] = nlohmann::ordered_json::array();
    for (std::size_t i = 0; i < values.size(); ++i) {
      nlohmann::ordered_json one = nlohmann::ordered_json::object();
      SavingArchive inner(*sections_, one, small_, fmt::format("{}{}{}/", prefix_, name, i));
      describe(inner, values[i]);
      all.push_back(std::move(one));
    }
  }
  void indices(const char* name, std::vector<int>& values) { (*json_)[name] = values; }
  template <class T>
  void triangles(const char* name, std::vector<std::array<T, 3>>& values) {
    (*json_)[name] = values;
  }

private:
  static constexpr std::size_t least_small = 1024;  // shorter rows are not worth it

  SectionWriter* sections_;
  nlohmann::ordered_json* json_;
  std::deque<SmallMatrix>* small_;
  std::string prefix_;
};

class LoadingArchive {
public:
  LoadingArchive(const SectionReader& sections, const JsonPlace& json, std::set<std::string>& used,
                 std::string prefix = "")
      : sections_(&sections), json_(json), used_(&used), prefix_(std::move(prefix)) {}

  void value(const char* name, bool& value) {
    const JsonPlace place = json_.member(name);
    if (!place.value().is_boolean()) place.fail("is neither true nor false");
    value = place.value().get<bool>();
  }
  void value(const char* name, std::uint32_t& value) { value = whole<std::uint32_t>(json_.member(name)); }
  void value(const char* name, int& value) { value = whole<int>(json_.member(name)); }
  void value(const char* name, float& value) {
    const JsonPlace place = json_.member(name);
    const double number = place.number();
    if (!(std::abs(number) <= static_cast<double>(std::numeric_limits<float>::max()))) place.fail("is out of range");
    value = static_cast<float>(number);
  }
  void value(const char* name, std::string& value) { value = json_.member(name).text(); }

  template <class Enum, std::size_t n>
  void choice(const char* name, Enum& value, const std::array<Word<Enum>, n>& words) {
    const JsonPlace place = json_.member(name);
    const std::string text = place.text();
    for (const auto& word : words) {
      if (word.word == text) {
        value = word.value;
        return;
      }
    }
    place.fail("is not a word known here");
  }

  template <class T>
  void array(const char* name, face::Array<T>& values) {
    const std::string section = prefix_ + name;
    if (!sections_->has(section)) return;
    used_->insert(section);
    values = face::Array<T>(numbers<T>(section), sections_->owner());
  }
  void matrix(const char* name, face::Matrix& matrix) {
    const JsonPlace place = json_.member(name);
    const std::vector<JsonPlace> sides = place.elements(2);
    if (sides.size() != 2) place.fail("has not two sizes");
    matrix.rows = whole<std::uint32_t>(sides[0]);
    matrix.columns = whole<std::uint32_t>(sides[1]);
    if (sections_->is_uint16(prefix_ + name))
      expand(prefix_ + name, matrix);
    else
      array(name, matrix.values);
    if (matrix.rows * matrix.columns != matrix.values.size()) {
      place.fail(fmt::format("is {} x {} and holds {} numbers", matrix.rows, matrix.columns, matrix.values.size()));
    }
  }

  template <class Describe>
  void object(const char* name, Describe describe) {
    LoadingArchive inner(*sections_, json_.member(name), *used_, prefix_ + name + "/");
    describe(inner);
  }
  template <class T, class Describe>
  void list(const char* name, std::vector<T>& values, std::size_t most, Describe describe) {
    const std::vector<JsonPlace> places = json_.member(name).elements(most);
    values.resize(places.size());
    for (std::size_t i = 0; i < places.size(); ++i) {
      LoadingArchive inner(*sections_, places[i], *used_, fmt::format("{}{}{}/", prefix_, name, i));
      describe(inner, values[i]);
    }
  }
  void indices(const char* name, std::vector<int>& values) {
    for (const JsonPlace& place : json_.member(name).elements(most_indices)) values.push_back(whole<int>(place));
  }
  template <class T>
  void triangles(const char* name, std::vector<std::array<T, 3>>& values) {
    for (const JsonPlace& place : json_.member(name).elements(most_indices)) {
      const std::vector<JsonPlace> corners = place.elements(3);
      if (corners.size() != 3) place.fail("is not a triangle of three corners");
      values.push_back({whole<T>(corners[0]), whole<T>(corners[1]), whole<T>(corners[2])});
    }
  }

private:
  static constexpr std::size_t most_indices = 65536;

  // The float values of a small matrix; as many as its sections hold.
  void expand(const std::string& section, face::Matrix& matrix) {
    const std::span<const std::uint16_t> values = sections_->uint16(section);
    const std::span<const float> steps = sections_->float32(steps_of(section));
    used_->insert(section);
    used_->insert(steps_of(section));
    if (steps.size() != matrix.rows || matrix.rows * matrix.columns != values.size())
      throw Error(fmt::format("section '{}' holds {} numbers and {} steps", section, values.size(), steps.size()));
    std::vector<float> made;
    made.reserve(values.size());
    for (std::size_t i = 0; i < values.size(); ++i)
      made.push_back(steps[i / matrix.columns] * static_cast<float>(values[i] - SmallMatrix::zero));
    matrix.values = std::move(made);
  }

  template <class T>
  static T whole(const JsonPlace& place) {
    const std::int64_t number = place.whole_number();
    if (number < static_cast<std::int64_t>(std::numeric_limits<T>::min()) ||
        number > static_cast<std::int64_t>(std::numeric_limits<T>::max())) {
      place.fail("is out of range");
    }
    return static_cast<T>(number);
  }

  template <class T>
  std::span<const T> numbers(const std::string& section) const {
    if constexpr (std::is_same_v<T, float>) {
      return sections_->float32(section);
    } else if constexpr (std::is_same_v<T, std::uint32_t>) {
      return sections_->uint32(section);
    } else {
      return sections_->uint16(section);
    }
  }

  const SectionReader* sections_;
  JsonPlace json_;
  std::set<std::string>* used_;
  std::string prefix_;
};

}  // namespace kinema::io
