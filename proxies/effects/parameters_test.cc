// SPDX-License-Identifier: Apache-2.0
#include "proxies/effects/parameters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace watchproof::proxy {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

const std::vector<ParameterInfo> kDeclared = {
    {.name = "wait", .kind = ParameterKind::kDuration, .default_value = "20ms"},
    {.name = "size", .kind = ParameterKind::kBytes, .default_value = "1KiB"},
    {.name = "loud", .kind = ParameterKind::kYesNo, .default_value = "no"},
};

std::string ErrorOf(const Parameters& given) {
  const auto values = ParseParameters("shout", kDeclared, given);
  return values.has_value() ? "no error" : values.error().message();
}

TEST(ParameterForms, AcceptNumbersWithTheirUnit) {
  const auto duration = [](const std::string& text) {
    return ParseParameters("shout", kDeclared, {{"wait", text}}).value().duration("wait");
  };
  EXPECT_EQ(duration("20ms"), 20ms);
  EXPECT_EQ(duration("1.5s"), 1500ms);
  EXPECT_EQ(duration("2m"), 2min);
  EXPECT_EQ(duration("7us"), 7us);
  EXPECT_EQ(duration("0s"), 0s);
  const auto bytes = [](const std::string& text) {
    return ParseParameters("shout", kDeclared, {{"size", text}}).value().bytes("size");
  };
  EXPECT_EQ(bytes("0B"), 0);
  EXPECT_EQ(bytes("64KiB"), 65536);
  EXPECT_EQ(bytes("2MiB"), 2 << 20);
}

TEST(ParameterForms, RefuseEverythingElse) {
  for (const char* text : {"", "20", "ms", "-1s", "1 s", "1h", "1e3s", "nans", "infs", "1s ", "+1s",
                           "0x1s", "99999999999999999999s"}) {
    EXPECT_NE(ErrorOf({{"wait", text}}), "no error") << text;
  }
  for (const char* text : {"", "5", "KiB", "-1B", "1KB", "1b"}) {
    EXPECT_NE(ErrorOf({{"size", text}}), "no error") << text;
  }
  for (const char* text : {"", "true", "Yes", "1"}) {
    EXPECT_NE(ErrorOf({{"loud", text}}), "no error") << text;
  }
}

TEST(ParseParameters, FillsInDefaults) {
  const auto values = ParseParameters("shout", kDeclared, {{"wait", "3s"}});
  ASSERT_TRUE(values.has_value());
  EXPECT_EQ(values->duration("wait"), 3s);
  EXPECT_EQ(values->bytes("size"), 1024);
  EXPECT_FALSE(values->yes("loud"));
}

TEST(ParseParameters, NamesTheParameterAndItsForm) {
  EXPECT_THAT(ErrorOf({{"wait", "20"}}),
              AllOf(HasSubstr("shout"), HasSubstr("'wait'"), HasSubstr("'20'"), HasSubstr("20ms")));
  EXPECT_THAT(ErrorOf({{"size", "many"}}), AllOf(HasSubstr("'size'"), HasSubstr("64KiB")));
  EXPECT_THAT(ErrorOf({{"loud", "maybe"}}), AllOf(HasSubstr("'loud'"), HasSubstr("yes or no")));
  EXPECT_THAT(ErrorOf({{"wiat", "1s"}}), AllOf(HasSubstr("'wiat'"), HasSubstr("wait, size, loud")));
}

}  // namespace
}  // namespace watchproof::proxy
