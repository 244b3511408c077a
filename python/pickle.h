// Pickles of the library's plain structs: nested tuples of their members (fields.h). copy.deepcopy uses them too.
#pragma once

#include "fields.h"
#include "kinema/error.h"

#include <pybind11/pybind11.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace kinema::python {

/// Whether a vector of these is kept as bytes.
template <class T>
inline constexpr bool is_number = std::is_arithmetic_v<T> && !std::is_same_v<T, bool>;

// Plain structs: a tuple of their members.
template <class T>
struct Packed {
  static pybind11::object pack(const T& value) {
    return std::apply(
        [](const auto&... each) { return pybind11::make_tuple(Packed<std::decay_t<decltype(each)>>::pack(each)...); },
        fields(value));
  }
  static void unpack(pybind11::handle from, T& value) {
    const auto parts = from.cast<pybind11::tuple>();
    const auto members = fields(value);
    if (parts.size() != std::tuple_size_v<std::remove_const_t<decltype(members)>>)
      throw Error("a pickle of another version of kinema");
    std::size_t i = 0;
    std::apply([&](auto&... each) { (Packed<std::decay_t<decltype(each)>>::unpack(parts[i++], each), ...); }, members);
  }
};

template <class T>
requires(std::is_arithmetic_v<T> || std::is_same_v<T, std::string>) struct Packed<T> {
  static pybind11::object pack(const T& value) { return pybind11::cast(value); }
  static void unpack(pybind11::handle from, T& value) { value = from.cast<T>(); }
};

template <class T>
requires std::is_enum_v<T>
struct Packed<T> {
  static pybind11::object pack(T value) { return pybind11::int_(static_cast<int>(value)); }
  static void unpack(pybind11::handle from, T& value) { value = static_cast<T>(from.cast<int>()); }
};

// Names that the library keeps: of joint angles.
template <>
struct Packed<std::string_view> {
  static pybind11::object pack(std::string_view value) { return pybind11::str(std::string(value)); }
  static void unpack(pybind11::handle from, std::string_view& value) {
    const auto name = from.cast<std::string>();
    const auto& names = body::anatomical_angle_names;
    const auto* found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) throw Error("a pickle of another version of kinema: its joint angle '" + name + "'");
    value = *found;
  }
};

template <class T>
struct Packed<std::vector<T>> {
  static pybind11::object pack(const std::vector<T>& values) {
    if constexpr (is_number<T>) {
      return pybind11::bytes(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
    } else {
      pybind11::list list;
      for (const T& value : values) list.append(Packed<T>::pack(value));
      return list;
    }
  }
  static void unpack(pybind11::handle from, std::vector<T>& values) {
    if constexpr (is_number<T>) {
      const auto bytes = from.cast<std::string>();
      if (bytes.size() % sizeof(T) != 0) throw Error("a damaged pickle");
      values.resize(bytes.size() / sizeof(T));
      if (!values.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
    } else {
      values.clear();
      for (const pybind11::handle value : from) Packed<T>::unpack(value, values.emplace_back());
    }
  }
};

template <class T, std::size_t n>
struct Packed<std::array<T, n>> {
  static pybind11::object pack(const std::array<T, n>& values) {
    return Packed<std::vector<T>>::pack({values.begin(), values.end()});
  }
  static void unpack(pybind11::handle from, std::array<T, n>& values) {
    std::vector<T> all;
    Packed<std::vector<T>>::unpack(from, all);
    if (all.size() != n) throw Error("a damaged pickle");
    std::copy(all.begin(), all.end(), values.begin());
  }
};

template <class T>
struct Packed<std::optional<T>> {
  static pybind11::object pack(const std::optional<T>& value) {
    return value ? Packed<T>::pack(*value) : pybind11::none();
  }
  static void unpack(pybind11::handle from, std::optional<T>& value) {
    value.reset();
    if (!from.is_none()) Packed<T>::unpack(from, value.emplace());
  }
};

template <class T>
struct Packed<std::shared_ptr<const T>> {
  static pybind11::object pack(const std::shared_ptr<const T>& value) {
    return value ? Packed<T>::pack(*value) : pybind11::none();
  }
  static void unpack(pybind11::handle from, std::shared_ptr<const T>& value) {
    value.reset();
    if (from.is_none()) return;
    auto made = std::make_shared<T>();
    Packed<T>::unpack(from, *made);
    value = std::move(made);
  }
};

template <class... Each>
struct Packed<std::variant<Each...>> {
  using Variant = std::variant<Each...>;
  static pybind11::object pack(const Variant& value) {
    const pybind11::object held =
        std::visit([](const auto& each) { return Packed<std::decay_t<decltype(each)>>::pack(each); }, value);
    return pybind11::make_tuple(value.index(), held);
  }
  static void unpack(pybind11::handle from, Variant& value) {
    const auto parts = from.cast<pybind11::tuple>();
    if (parts.size() != 2 ||
        !unpack_any(parts[0].cast<std::size_t>(), parts[1], value, std::index_sequence_for<Each...>()))
      throw Error("a damaged pickle");
  }

private:
  template <std::size_t... i>
  static bool unpack_any(std::size_t index, pybind11::handle from, Variant& value, std::index_sequence<i...>) {
    return ((index == i && (Packed<Each>::unpack(from, value.template emplace<i>()), true)) || ...);
  }
};

/// Lets pickle and copy.deepcopy make copies of a class whose members fields() lists.
template <class T, class... Options>
void pickles(pybind11::class_<T, Options...>& bound) {
  bound.def(pybind11::pickle([](const T& own) { return Packed<T>::pack(own).template cast<pybind11::tuple>(); },
                             [](const pybind11::tuple& state) {
                               T made;
                               Packed<T>::unpack(state, made);
                               return made;
                             }));
}

}  // namespace kinema::python
