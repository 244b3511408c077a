// What a refusal says, after the checks that every one must pass: cause input, one line, the file's name first.
#pragma once

#include "kinema/error.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>

namespace kinema::io {

/// A message is one printable line that starts with the file; what follows its name is ": " or ":line".
inline void expect_line_about(const std::filesystem::path& file, const std::string& message) {
  EXPECT_EQ(message.rfind(file.string() + ":", 0), 0u) << message;
  for (char c : message.substr(std::min(message.size(), file.string().size()))) {
    EXPECT_TRUE(c >= ' ' && c <= '~') << message;
  }
}

/// The message of the Error that `call` throws; empty where it throws none.
template <class Call>
std::string refusal_of(Call call) {
  try {
    call();
  } catch (const Error& error) {
    const std::string message = error.what();
    EXPECT_EQ(error.cause(), Error::Cause::input) << message;
    for (char c : message) EXPECT_TRUE(c >= ' ' && c <= '~') << message;
    EXPECT_LT(message.size(), 500u) << message;
    return message;
  }
  return "";
}

template <class Call>
void expect_refusal(const std::filesystem::path& file, const std::string& says, Call call) {
  const std::string message = refusal_of(call);
  EXPECT_EQ(message.rfind(file.string() + ": ", 0), 0u) << "says: " << message;
  EXPECT_NE(message.find(says), std::string::npos) << "should say '" << says << "', says: " << message;
}

}  // namespace kinema::io
