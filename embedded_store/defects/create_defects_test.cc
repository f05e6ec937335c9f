// SPDX-License-Identifier: Apache-2.0
// Defects in how a create request is understood, on and off, at the hub.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "embedded_store/defects/defect_fixture.h"
#include "embedded_store/watch/hub_fixture.h"

namespace watchproof::store {
namespace {

using testing::ElementsAre;

// The events of a watch with this spec: put a, put b, delete a. Live and from history alike.
class Created : public HubTest {
 public:
  explicit Created(const std::string& defect) : HubTest(With(defect)) {}
  void TestBody() override {}
  std::vector<std::string> EventsOf(const WatchSpec& spec) {
    Client live = Open();
    if (spec.start.value == 0) live.Watch(spec);
    Write("a");
    Write("b");
    EXPECT_TRUE(store_.DeleteRange({.range = KeyRange::Single("a")}).has_value());
    hub_.CommitStep();
    if (spec.start.value != 0) live.Watch(spec);
    SyncAll();
    std::vector<std::string> events;
    for (const std::string& text : live.Read()) {
      const auto at = text.find("put");
      const auto from = at == std::string::npos ? text.find("delete") : at;
      if (from != std::string::npos) events.push_back(text.substr(from));
    }
    return events;
  }
};
std::vector<std::string> EventsOf(const std::string& defect, const WatchSpec& spec) {
  return Created(defect).EventsOf(spec);
}

TEST(RangeEndIncluded, DeliversTheKeyAtTheEnd) {
  const WatchSpec until_b{.range = {"0", "b"}};
  EXPECT_THAT(EventsOf("", until_b), ElementsAre("put a=v@2", "delete a@4"));
  EXPECT_THAT(EventsOf("range-end-included", until_b),
              ElementsAre("put a=v@2", "put b=v@3", "delete a@4"));
}
TEST(RangeEndIncluded, DoesNotAffectASingleKeyOrAnOpenEnd) {
  EXPECT_THAT(EventsOf("range-end-included", {.range = {"b"}}), ElementsAre("put b=v@3"));
  EXPECT_THAT(EventsOf("range-end-included", {.range = KeyRange::From("b")}),
              ElementsAre("put b=v@3"));
}

TEST(FilterIgnored, DeliversTheDeletes) {
  const WatchSpec puts{.range = {"a"}, .no_deletes = true};
  EXPECT_THAT(EventsOf("", puts), ElementsAre("put a=v@2"));
  EXPECT_THAT(EventsOf("filter-ignored", puts), ElementsAre("put a=v@2", "delete a@4"));
}

TEST(StartOneTooHigh, SkipsTheFirstRevision) {
  const WatchSpec from_the_first{.range = {"a", "b"}, .start = Revision{2}};
  EXPECT_THAT(EventsOf("", from_the_first), ElementsAre("put a=v@2, delete a@4"));
  EXPECT_THAT(EventsOf("start-one-too-high", from_the_first), ElementsAre("delete a@4"));
}
TEST(StartOneTooHigh, DoesNotAffectASingleKeyOrAWatchFromNow) {
  EXPECT_THAT(EventsOf("start-one-too-high", {.range = {"a"}, .start = Revision{2}}),
              ElementsAre("put a=v@2, delete a@4"));
  EXPECT_THAT(EventsOf("start-one-too-high", {.range = {"b"}}), ElementsAre("put b=v@3"));
}

}  // namespace
}  // namespace watchproof::store
