// SPDX-License-Identifier: Apache-2.0
#include "harness/decide/cluster_exploration.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace watchproof {
namespace {

using testing::ElementsAre;
using Groups = std::vector<std::vector<std::string>>;

// The shapes of the buckets of each group.
Groups GroupsIn(const std::vector<ClusterBucket>& buckets) {
  Groups groups;
  for (const BucketGroup& group : GroupsOf(buckets)) {
    std::vector<std::string>& shapes = groups.emplace_back();
    shapes.push_back(group.first->shape);
    for (const ClusterBucket* const other : group.others) shapes.push_back(other->shape);
  }
  return groups;
}

ClusterBucket Bucket(const std::string& shape, std::set<std::string> then = {}) {
  ClusterBucket bucket{};
  bucket.shape = shape;
  bucket.then = std::move(then);
  return bucket;
}

TEST(BucketGroups, ApartWithoutACommonFinding) {
  EXPECT_THAT(GroupsIn({Bucket("lost", {"stale"}), Bucket("silent")}),
              ElementsAre(ElementsAre("lost"), ElementsAre("silent")));
}

TEST(BucketGroups, TogetherByTheFirstFindingOfTheOther) {
  EXPECT_THAT(GroupsIn({Bucket("lost"), Bucket("silent"), Bucket("stale", {"lost"})}),
              ElementsAre(ElementsAre("lost", "stale"), ElementsAre("silent")));
}

TEST(BucketGroups, TogetherByAFindingBesideBoth) {
  EXPECT_THAT(GroupsIn({Bucket("lost", {"hash"}), Bucket("stale", {"hash"})}),
              ElementsAre(ElementsAre("lost", "stale")));
}

// The third has one in common with each of two that have none.
TEST(BucketGroups, JoinWhatAThirdOneConnects) {
  EXPECT_THAT(
      GroupsIn({Bucket("a", {"x"}), Bucket("alone"), Bucket("b", {"y"}), Bucket("c", {"x", "y"})}),
      ElementsAre(ElementsAre("a", "b", "c"), ElementsAre("alone")));
}

}  // namespace
}  // namespace watchproof
