// SPDX-License-Identifier: Apache-2.0
#include "harness/session/profile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace watchproof {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Profile, DeclaresDeviations) {
  const auto profile = ParseProfile(R"(
name = "mine"
about = "A store of mine."
offers = ["compaction", "previous-values"]
lacks = ["leases"]
requests = "kubernetes"
always_zero = ["header.member_id", "lease"]
previous_values_unasked = true
keeps_history = true
compacted_at_the_floor = true
leases_take_revisions = true
leaves_out = ["leases", "read-of-every-key"]
metadata_of_deletes = true
)");
  ASSERT_TRUE(profile.has_value()) << profile.error().message();
  EXPECT_EQ(profile->name, "mine");
  EXPECT_THAT(profile->stated.offered,
              ElementsAre(Capability::kCompaction, Capability::kPreviousValues));
  EXPECT_THAT(profile->stated.missing, ElementsAre(Capability::kLeases));
  EXPECT_EQ(profile->requests, Profile::Requests::kKubernetes);
  EXPECT_THAT(profile->deviations.unset, ElementsAre("header.member_id", "lease"));
  EXPECT_TRUE(profile->deviations.previous_unasked);
  EXPECT_TRUE(profile->deviations.keeps_history);
  EXPECT_TRUE(profile->compacted_at_the_floor);
  EXPECT_TRUE(profile->leases_take_revisions);
  EXPECT_TRUE(profile->deviations.metadata_of_deletes);
  EXPECT_THAT(profile->leaves_out, ElementsAre("leases", "read-of-every-key"));
}

TEST(Profile, ErrorsNameTheLineAndWhatWasExpected) {
  const std::string head = "name = \"x\"\nabout = \"y\"\n";
  const std::pair<std::string, const char*> wrong[] = {
      {"name = [", "line 1"},
      {"about = \"y\"", "expected 'name'"},
      {head + "offer = []", "line 3: unknown field 'offer'"},
      {head + "offers = [\"wings\"]", "'wings' in 'offers' is no capability"},
      {head + "offers = 3", "expected 'offers' with a list"},
      {head + "offers = [\"leases\"]\nlacks = [\"leases\"]", "'leases' is in 'offers', too"},
      {head + "always_zero = [\"value\"]", "'value' is none of header.cluster_id"},
      {head + "leaves_out = [\"reads\"]", "'reads' in 'leaves_out' is no standing promise"},
      {head + "requests = \"few\"", "all or kubernetes"},
      {head + "keeps_history = 1", "true or false"}};
  for (const auto& [text, expected] : wrong) {
    const auto parsed = ParseProfile(text);
    ASSERT_FALSE(parsed.has_value()) << text;
    EXPECT_THAT(parsed.error().message(), HasSubstr(expected)) << text;
  }
}

TEST(Profile, ShippedProfilesParseAndAreFoundByName) {
  EXPECT_THAT(ShippedProfiles(), testing::IsSupersetOf({"etcd", "kubernetes", "leases-locks"}));
  for (const std::string& name : ShippedProfiles()) {
    const auto text = ProfileText(name);
    ASSERT_TRUE(text.has_value()) << name;
    const auto profile = ParseProfile(*text);
    ASSERT_TRUE(profile.has_value()) << name << ": " << profile.error().message();
    EXPECT_EQ(profile->name, name);
  }
  EXPECT_THAT(ProfileText("no-such").error().message(),
              testing::AllOf(HasSubstr("'no-such'"), HasSubstr("kubernetes")));
}

TEST(ProfileFor, ATargetBringsThatOfItsProductUnlessTheRunHasOne) {
  const TargetSpec kine{.text = "kine@0.17.5", .profile = "kine"};
  EXPECT_EQ(ProfileFor("", kine)->name, "kine");
  EXPECT_EQ(ProfileFor("name = \"mine\"\nabout = \"a\"\n", kine)->name, "mine");
  EXPECT_EQ(ProfileFor("", {.text = "embedded"})->name, "");
}

}  // namespace
}  // namespace watchproof
