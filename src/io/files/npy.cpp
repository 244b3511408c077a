#include "io/files/npy.h"
#include "io/files/input_file.h"

#include "io/files/output_file.h"
#include "kinema/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstring>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

namespace kinema::io {
namespace {

static_assert(std::endian::native == std::endian::little, "the data of .npy files are used as they lie in the file");

// The dict of a plain array takes about a hundred bytes; NumPy itself refuses more than 10000.
constexpr std::size_t longest_header = 65536;

// The header: a Python dict of three entries, padded with spaces.
struct NpyHeader {
  std::string descr;  // the element's type, such as "<f4"; printable ASCII
  bool fortran_order = false;
  std::vector<std::size_t> shape;
};

// A strict parser of the few forms of Python that NumPy writes: a dict of quoted keys, a quoted string, a bool and a
// tuple of integers.
class Parser {
public:
  explicit Parser(std::string_view text) : text_(text) {}

  NpyHeader parse() {
    std::optional<std::string> descr;
    std::optional<bool> fortran_order;
    std::optional<std::vector<std::size_t>> shape;

    expect('{', "is not a dict");
    while (!accept('}')) {
      const std::string key = quoted();
      expect(':', "has no ':' after a key");
      if (key == "descr" && !descr) {
        descr = element_type();
      } else if (key == "fortran_order" && !fortran_order) {
        fortran_order = boolean();
      } else if (key == "shape" && !shape) {
        shape = tuple();
      } else {
        fail(fmt::format("has an unknown or repeated key '{}'", printable(key)));
      }
      if (accept('}')) break;
      expect(',', "has no ',' between its entries");
    }
    skip_space();
    if (at_ != text_.size()) fail("goes on after its dict");
    if (!descr) fail("has no 'descr'");
    if (!fortran_order) fail("has no 'fortran_order'");
    if (!shape) fail("has no 'shape'");
    return {*descr, *fortran_order, *shape};
  }

private:
  [[noreturn]] void fail(const std::string& what) const {
    throw Error(fmt::format("its header {} (at character {}): save it again with np.save", what, at_));
  }

  void skip_space() {
    while (at_ < text_.size() && std::string_view(" \t\r\n\f").find(text_[at_]) != std::string_view::npos) ++at_;
  }

  bool accept(char c) {
    skip_space();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  void expect(char c, const char* otherwise) {
    if (!accept(c)) fail(otherwise);
  }

  std::string quoted() {
    skip_space();
    if (at_ >= text_.size() || (text_[at_] != '\'' && text_[at_] != '"')) fail("lacks a quoted word");
    const char quote = text_[at_];
    const std::size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) fail("has a quote without its end");
    const std::string_view word = text_.substr(at_ + 1, end - at_ - 1);
    for (char c : word) {
      if (c < ' ' || c > '~' || c == '\\') fail(fmt::format("has an odd character in '{}'", printable(word)));
    }
    at_ = end + 1;
    return std::string(word);
  }

  std::string element_type() {
    skip_space();
    if (at_ < text_.size() && (text_[at_] == '[' || text_[at_] == '(')) {
      throw Error(
          "holds records (a structured dtype); kinema reads plain arrays: save one field, or use "
          "numpy.lib.recfunctions.structured_to_unstructured");
    }
    return quoted();
  }

  bool boolean() {
    skip_space();
    for (const auto& [word, value] : {std::pair<std::string_view, bool>{"True", true}, {"False", false}}) {
      if (text_.substr(at_, word.size()) == word) {
        at_ += word.size();
        return value;
      }
    }
    fail("has a 'fortran_order' that is neither True nor False");
  }

  std::vector<std::size_t> tuple() {
    std::vector<std::size_t> shape;
    expect('(', "has a 'shape' that is not a tuple");
    bool comma = true;
    while (!accept(')')) {
      if (!comma) fail("has no ',' between the numbers of its 'shape'");
      shape.push_back(integer());
      comma = accept(',');
    }
    // "(3)" is a number in Python, "(3,)" is a tuple
    if (shape.size() == 1 && !comma) fail("has a 'shape' that is not a tuple");
    return shape;
  }

  std::size_t integer() {
    skip_space();
    if (at_ < text_.size() && text_[at_] == '-') fail("has a negative number in its 'shape'");
    std::uint64_t value = 0;
    const char* begin = text_.data() + at_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (error == std::errc::result_out_of_range || value > std::numeric_limits<std::ptrdiff_t>::max()) {
      fail("has a number in its 'shape' that is too large");
    }
    if (error != std::errc{}) fail("has something in its 'shape' that is not a whole number");
    at_ += static_cast<std::size_t>(end - begin);
    return static_cast<std::size_t>(value);
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

// The magic, version 1.0, and the dict, padded so that the data start at a multiple of 64 bytes.
std::string make_npy_header(const NpyHeader& header) {
  std::string shape;
  for (std::size_t size : header.shape) shape += fmt::format("{}, ", size);
  if (header.shape.size() > 1) shape.resize(shape.size() - 2);
  if (header.shape.size() == 1) shape.pop_back();
  std::string dict = fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': ({}), }}", header.descr,
                                 header.fortran_order ? "True" : "False", shape);

  // magic, version and length take 10 bytes, and the text ends with a line break
  constexpr std::size_t before = 10, alignment = 64;
  const std::size_t total = (before + dict.size() + 1 + alignment - 1) / alignment * alignment;
  dict.append(total - before - dict.size() - 1, ' ');
  dict += '\n';
  if (dict.size() > 0xffff) throw Error("an array with that many dimensions cannot be saved as .npy");
  std::string start("\x93NUMPY\x01\x00", 8);
  start += static_cast<char>(dict.size() & 0xff);
  start += static_cast<char>(dict.size() >> 8);
  return start + dict;
}

template <class T>
constexpr bool reads(std::string_view descr) {
  if constexpr (std::is_same_v<T, float>) {
    return descr == "<f4";
  } else {
    // a single byte has no order, so any mark is accepted
    return descr.size() == 3 && std::string_view("|<>=").find(descr[0]) != std::string_view::npos &&
           (descr.substr(1) == "u1" || descr.substr(1) == "b1");
  }
}

std::string type_text(std::string_view descr) {
  const std::string_view kind = descr.empty() ? "" : descr.substr(1);
  std::string_view known = "another type";
  for (const auto& [code, name] : {std::pair<std::string_view, std::string_view>{"f8", "float64"},
                                   {"f4", "float32"},
                                   {"f2", "float16"},
                                   {"i8", "int64"},
                                   {"i4", "int32"},
                                   {"i2", "int16"},
                                   {"i1", "int8"},
                                   {"u1", "uint8"},
                                   {"b1", "bool"},
                                   {"c8", "complex64"},
                                   {"c16", "complex128"},
                                   {"O", "Python objects"}}) {
    if (kind == code) known = name;
  }
  if (kind.substr(0, 1) == "U" || kind.substr(0, 1) == "S") known = "text";
  const bool swapped = descr.substr(0, 1) == ">" && kind != "u1" && kind != "b1" && kind != "i1";
  return fmt::format("{}{} ('{:.32}')", swapped ? "big-endian " : "", known, descr);
}

template <class T>
Error wrong_type(std::string_view descr) {
  if constexpr (std::is_same_v<T, float>) {
    if (descr == ">f4") {
      return Error(fmt::format("holds {}; kinema reads little-endian float32: save it with arr.astype('<f4')",
                               type_text(descr)));
    }
    return Error(fmt::format("holds {}; kinema reads float32: save it with arr.astype(np.float32)", type_text(descr)));
  } else {
    return Error(
        fmt::format("holds {}; kinema reads bool or uint8 here: save it with arr.astype(bool)", type_text(descr)));
  }
}

void check_shape(const std::vector<std::size_t>& shape, const std::vector<std::size_t>& expected) {
  bool agrees = shape.size() == expected.size();
  for (std::size_t d = 0; agrees && d < shape.size(); ++d) {
    agrees = expected[d] == any_size || shape[d] == expected[d];
  }
  if (!agrees) {
    throw Error(fmt::format("has the shape {}, where {} is needed: reshape it before it is saved", shape_text(shape),
                            shape_text(expected)));
  }
}

// The number of bytes, if memory could hold it. As in NumPy, a 0 does not excuse the other sizes, so that they can be
// multiplied in any order later.
std::size_t byte_count(const std::vector<std::size_t>& shape, std::size_t element) {
  constexpr std::size_t most = std::numeric_limits<std::ptrdiff_t>::max();
  std::size_t product = element;
  bool empty = false;
  for (std::size_t size : shape) {
    empty = empty || size == 0;
    if (size != 0 && product > most / size) {
      throw Error(
          fmt::format("has the shape {}, which no memory can hold: save it again with np.save", shape_text(shape)));
    }
    product *= std::max<std::size_t>(size, 1);
  }
  return empty ? 0 : product;
}

NpyHeader read_header(InputFile& file) {
  if (file.left() == 0) throw Error("is empty: save it again with np.save");
  std::array<unsigned char, 12> start{};
  if (file.left() < 10) throw Error("is not a .npy file: it is too short; save the array with np.save");
  file.read(start.data(), 8);
  if (std::memcmp(start.data(), "\x93NUMPY", 6) != 0) {
    throw Error("is not a .npy file: it does not start with \\x93NUMPY; save the array with np.save");
  }
  const int version = start[6];
  if (version < 1 || version > 3 || start[7] != 0) {
    throw Error(
        fmt::format("is a .npy file of version {}.{}; kinema reads 1.0, 2.0 and 3.0: save it again with np.save",
                    version, start[7]));
  }
  const std::size_t length_bytes = version == 1 ? 2 : 4;
  if (file.left() < length_bytes) throw Error("ends within its header: save it again with np.save");
  file.read(start.data() + 8, length_bytes);
  std::size_t length = start[8] | std::size_t{start[9]} << 8;
  if (version > 1) length |= std::size_t{start[10]} << 16 | std::size_t{start[11]} << 24;
  if (length > file.left()) {
    throw Error(
        fmt::format("ends within its header, which should take {} bytes where {} are left: save it again with "
                    "np.save",
                    length, file.left()));
  }
  if (length > longest_header) {
    throw Error(fmt::format("has a header of {} bytes; kinema reads at most {}: save a plain array with np.save",
                            length, longest_header));
  }
  std::string text(length, '\0');
  file.read(text.data(), length);
  return Parser(text).parse();
}

template <class T>
NpyArray<T> read_array(InputFile& file, const std::vector<std::size_t>& expected) {
  NpyHeader header = read_header(file);
  if (!reads<T>(header.descr)) throw wrong_type<T>(header.descr);
  check_shape(header.shape, expected);
  const std::size_t bytes = byte_count(header.shape, sizeof(T));
  if (header.fortran_order) {
    throw Error("is in Fortran order; kinema reads C order: save it with np.ascontiguousarray(arr)");
  }
  if (file.left() < bytes) {
    throw Error(fmt::format("is cut short: its shape {} needs {} bytes of data and {} are there: save or copy it again",
                            shape_text(header.shape), bytes, file.left()));
  }
  if (file.left() > bytes) {
    throw Error(
        fmt::format("goes on after its data: its shape {} needs {} bytes and {} are there: save it again with "
                    "np.save",
                    shape_text(header.shape), bytes, file.left()));
  }
  NpyArray<T> array{std::move(header.shape), std::vector<T>(bytes / sizeof(T))};
  file.read(array.data.data(), bytes);
  return array;
}

}  // namespace

template <class T>
NpyArray<T> read_npy(const std::filesystem::path& path, const std::vector<std::size_t>& expected) {
  return naming(path, [&] {
    InputFile file(path);
    return read_array<T>(file, expected);
  });
}

template NpyArray<float> read_npy(const std::filesystem::path&, const std::vector<std::size_t>&);
template NpyArray<std::uint8_t> read_npy(const std::filesystem::path&, const std::vector<std::size_t>&);

template <class T>
void write_npy(OutputFile& file, std::span<const T> data, const std::vector<std::size_t>& shape) {
  if (byte_count(shape, sizeof(T)) != data.size_bytes()) {
    throw Error(fmt::format("{} numbers do not fill the shape {}", data.size(), shape_text(shape)));
  }
  file.write(make_npy_header({sizeof(T) == 8 ? "<f8" : "<f4", false, shape}));
  file.write({reinterpret_cast<const char*>(data.data()), data.size_bytes()});
}

template void write_npy(OutputFile&, std::span<const float>, const std::vector<std::size_t>&);
template void write_npy(OutputFile&, std::span<const double>, const std::vector<std::size_t>&);

std::string shape_text(const std::vector<std::size_t>& shape) {
  constexpr std::size_t most = 8;  // of the thousands in a hostile header, enough to identify it
  std::string text = "(";
  for (std::size_t d = 0; d < std::min(shape.size(), most); ++d) {
    text += d == 0 ? "" : ", ";
    text += shape[d] == any_size ? "any" : fmt::format("{}", shape[d]);
  }
  if (shape.size() > most) text += ", ...";
  return text + (shape.size() == 1 ? ",)" : ")");
}

}  // namespace kinema::io
