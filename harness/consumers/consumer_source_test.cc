// SPDX-License-Identifier: Apache-2.0
#include "harness/consumers/consumer_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace watchproof {
namespace {

using testing::HasSubstr;

TEST(ConsumerSource, EachShippedOneHasARecipeAndItsNeeds) {
  ASSERT_THAT(ShippedConsumers(), testing::Contains("etcd-go"));
  for (const std::string& name : ShippedConsumers()) {
    const auto source = FindConsumer(name);
    ASSERT_TRUE(source.has_value()) << source.error().message();
    EXPECT_FALSE(source->recipe.layers.empty()) << name;
    for (const std::string& needed : source->recipe.needs) {
      EXPECT_TRUE(
          std::any_of(source->files.begin(), source->files.end(),
                      [&](const auto& file) { return file.first.starts_with(needed + "/"); }))
          << name << " needs " << needed;
    }
  }
}

TEST(ConsumerSource, AVersionIsAPartOfIt) {
  const auto source = FindConsumer("etcd-go@3.5.12");
  ASSERT_TRUE(source.has_value());
  EXPECT_EQ(source->name, "etcd-go");
  EXPECT_EQ(source->version, "3.5.12");
}

TEST(ConsumerSource, ErrorsNameTheTextAndWhatWasExpected) {
  for (const char* text : {"etcd-gone", "etcd-go@", "etcd-go@latest", "folder:/nowhere/at-all"}) {
    const auto source = FindConsumer(text);
    ASSERT_FALSE(source.has_value()) << text;
    EXPECT_THAT(source.error().message(), HasSubstr("expected")) << text;
  }
  EXPECT_THAT(FindConsumer("etcd-gone").error().message(), HasSubstr("etcd-gone"));
}

TEST(ConsumerSource, AFolderIsReadWithItsNeighbours) {
  const std::filesystem::path root = testing::TempDir() + "/consumers";
  std::filesystem::create_directories(root / "own");
  std::filesystem::create_directories(root / "shared");
  std::ofstream(root / "own" / "consumer.toml")
      << "about = \"a\"\nlayers = [\"l\"]\ntool = \"go\"\nadvice = \"x\"\nneeds = [\"shared\"]\n"
         "build = [\"go build\"]\nrun = [\"./p\"]\n";
  std::ofstream(root / "own" / "accepted.toml") << "known";
  std::ofstream(root / "shared" / "code.go") << "package shared\n";
  const auto source = FindConsumer("folder:" + (root / "own").string());
  ASSERT_TRUE(source.has_value()) << source.error().message();
  EXPECT_EQ(source->name, "own");
  EXPECT_EQ(source->files.at("shared/code.go"), "package shared\n");
  EXPECT_EQ(source->accepted, "known");
  EXPECT_FALSE(source->files.contains("own/accepted.toml")) << "nothing is built of it";
}

TEST(ConsumerRecipe, AMisspeltFieldIsAnError) {
  const auto recipe = ParseConsumerRecipe("about = \"a\"\nlayer = [\"l\"]\n");
  ASSERT_FALSE(recipe.has_value());
  EXPECT_THAT(recipe.error().message(), HasSubstr("layer"));
}

TEST(ConsumerRecipe, HasAbilities) {
  const auto source = FindConsumer("etcd-go");
  ASSERT_TRUE(source.has_value());
  EXPECT_THAT(source->recipe.can, testing::UnorderedElementsAre("fragments", "progress", "starts"));
  EXPECT_THAT(FindConsumer("kube-apiserver")->recipe.can, testing::ElementsAre("reads"));
  EXPECT_THAT(FindConsumer("kube-apiserver-pair")->recipe.can, testing::ElementsAre("members"));
}

TEST(ConsumerRecipe, TheShareOfTheMachineIsANumber) {
  const auto with = [](const std::string& jobs) {
    return ParseConsumerRecipe(
        "about = \"a\"\nlayers = [\"l\"]\ntool = \"go\"\nadvice = \"x\"\njobs = " + jobs +
        "\nbuild = [\"go build\"]\nrun = [\"./p\"]\n");
  };
  EXPECT_EQ(with("6")->jobs, 6);
  for (const char* wrong : {"0", "\"many\""}) {
    const auto recipe = with(wrong);
    ASSERT_FALSE(recipe.has_value()) << wrong;
    EXPECT_THAT(recipe.error().message(), HasSubstr("expected 'jobs'")) << wrong;
  }
}

}  // namespace
}  // namespace watchproof
