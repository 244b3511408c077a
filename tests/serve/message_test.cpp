#include "serve/messages/message.h"
#include "kinema/error.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

namespace kinema::serve {
namespace {

std::string sample(std::size_t bytes = 5) {
  const std::vector<float> numbers = {1, 2.5f, -3, 4, 5, 6};
  const std::vector<std::uint8_t> picture(bytes, 7);
  const std::vector<ArrayPart> arrays = {array_part<std::uint8_t>("picture", picture, {bytes}),
                                         array_part<float>("numbers", numbers, {2, 3})};
  return encode({{"do", "look"}, {"text", "\xc3\xa4"}}, arrays);
}

std::string with_header(const std::string& json, std::size_t after = 64) {
  const auto length = static_cast<std::uint32_t>(json.size());
  std::string message(4, '\0');
  std::memcpy(message.data(), &length, 4);
  return message + json + std::string(after, 'x');
}

TEST(Message, ComesBackAsItWas) {
  for (std::size_t bytes : {0, 1, 5, 8, 999999}) {
    const std::string encoded = sample(bytes);
    const Message message = decode(encoded);
    EXPECT_EQ(message.header["do"], "look");
    EXPECT_EQ(message.array("picture", ElementType::uint8, 1).bytes.size(), bytes);
    const ArrayPart& numbers = message.array("numbers", ElementType::float32, 2);
    EXPECT_EQ(numbers.shape, (std::vector<std::size_t>{2, 3}));
    EXPECT_EQ(reinterpret_cast<const float*>(numbers.bytes.data())[2], -3);
    EXPECT_EQ((numbers.bytes.data() - std::as_bytes(std::span(encoded)).data()) % 8, 0);
  }
}

TEST(Message, AnArrayOfAnotherKindIsNotThere) {
  const std::string encoded = sample();
  const Message message = decode(encoded);
  EXPECT_THROW(message.array("numbers", ElementType::uint8, 2), Error);
  EXPECT_THROW(message.array("numbers", ElementType::float32, 1), Error);
  EXPECT_THROW(message.array("other", ElementType::float32, 2), Error);
}

TEST(Message, EveryCutOfAMessageIsReadOrRefused) {
  const std::string whole = sample();
  for (std::size_t length = 0; length < whole.size(); ++length) {
    EXPECT_THROW(decode(std::string_view(whole).substr(0, length)), Error) << length;
  }
}

TEST(Message, EveryChangedByteIsReadOrRefused) {
  const std::string whole = sample();
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (int change : {1, 0x20, 0x80, 0xff}) {
      std::string changed = whole;
      changed[at] = static_cast<char>(changed[at] ^ change);
      try {
        decode(changed);
      } catch (const Error&) {
      }
    }
  }
}

TEST(Message, ArraysOutsideTheMessageAreRefused) {
  const auto part = [](const char* shape, const char* offset) {
    return with_header(std::string(R"({"arrays":[{"name":"a","type":"float32","shape":)") + shape + R"(,"offset":)" +
                       offset + "}]}   ");
  };
  EXPECT_NO_THROW(decode(part("[1]", "8")));
  for (const auto& [shape, offset] : {std::pair{"[1000]", "8"},
                                      {"[1]", "100000"},
                                      {"[1]", "-8"},
                                      {"[1]", "4"},
                                      {"[-1]", "8"},
                                      {"[0.5]", "8"},
                                      {"[4294967296,4294967296]", "8"},
                                      {"[18446744073709551615]", "8"},
                                      {"[1,1,1,1,1]", "8"},
                                      {"1", "8"},
                                      {"[1]", "\"8\""}}) {
    EXPECT_THROW(decode(part(shape, offset)), Error) << shape << ' ' << offset;
  }
}

TEST(Message, HeadersThatAreNoObjectsAreRefused) {
  for (const char* json : {"", "[]", "1", "{", "{\"arrays\":1}", "{\"arrays\":[1]}", "{\"arrays\":[{}]}",
                           "{\"arrays\":[{\"name\":\"a\",\"type\":\"int64\",\"shape\":[1],\"offset\":8}]}"}) {
    EXPECT_THROW(decode(with_header(json)), Error) << json;
  }
  EXPECT_THROW(decode(with_header(std::string(100000, ' ') + "{}")), Error);
  EXPECT_THROW(decode(with_header(std::string(60000, '['))), Error);  // no depth of nesting does harm
}

TEST(Message, MillimetresAreCutOffAtTheirRange) {
  const std::vector<float> metres = {0.0014f, -2.5f, 100, -100, std::nanf(""), std::numeric_limits<float>::infinity()};
  EXPECT_EQ(millimetres(metres), (std::vector<std::int16_t>{1, -2500, 32767, -32767, 0, 0}));
}

}  // namespace
}  // namespace kinema::serve
