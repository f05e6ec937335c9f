// SPDX-License-Identifier: Apache-2.0
#include "harness/targets/product.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/targets/command_target.h"

namespace watchproof {
namespace {

using testing::HasSubstr;

const std::string kHead =
    "name = \"x\"\nabout = \"y\"\nprofile = \"p\"\narguments = [\"{port}\"]\n";

TEST(Product, IsDescribedWithItsDrivers) {
  const auto product = ParseProduct(kHead + R"(help = ["--help"]
where_known = ["--retain=0"]
progress_interval = "--interval"
[[driver]]
name = "disk"
about = "d"
arguments = ["{data}"]
[[driver]]
name = "memory"
about = "m"
since = "0.15.0"
arguments = ["-m"]
)");
  ASSERT_TRUE(product.has_value()) << product.error().message();
  EXPECT_EQ(product->FindDriver("")->name, "disk");
  EXPECT_EQ(product->FindDriver("memory")->since, "0.15.0");
  EXPECT_EQ(product->FindDriver("tape"), nullptr);
  EXPECT_EQ(ParseProduct(kHead)->FindDriver(""), nullptr) << "there is no choice";
}

TEST(Product, ErrorsNameTheLineAndWhatWasExpected) {
  const std::string driver = "[[driver]]\nname = \"d\"\nabout = \"a\"\n";
  const std::string whole = driver + "arguments = [\"a\"]\n";
  const std::pair<std::string, const char*> wrong[] = {
      {"name = [", "line 1"},
      {"name = \"x\"\n", "'about'"},
      {kHead + "argument = 1\n", "line 5: unknown field 'argument'"},
      {kHead + "where_known = [\"--a=1\"]\n", "expected 'help'"},
      {kHead + driver, "'arguments'"},
      {kHead + whole + "since = \"new\"\n", "line 9: expected 'since' with a version"},
      {kHead + whole + whole, "the driver d is listed twice"}};
  for (const auto& [text, expected] : wrong) {
    const auto parsed = ParseProduct(text);
    ASSERT_FALSE(parsed.has_value()) << text;
    EXPECT_THAT(parsed.error().message(), HasSubstr(expected)) << text;
  }
}

TEST(Products, HaveCommandLinesThatAreUnderstood) {
  EXPECT_NE(FindProduct("kine"), nullptr);
  EXPECT_NE(FindProduct("t4"), nullptr);
  EXPECT_EQ(FindProduct("etcd"), nullptr);
  for (const Product& product : Products()) {
    std::vector<ProductDriver> drivers = product.drivers;
    if (drivers.empty()) drivers.emplace_back();
    for (const ProductDriver& driver : drivers) {
      std::vector<std::string> words = product.arguments;
      words.insert(words.end(), driver.arguments.begin(), driver.arguments.end());
      EXPECT_TRUE(CheckTemplate(words).ok()) << product.name << " " << driver.name;
    }
  }
}

}  // namespace
}  // namespace watchproof
