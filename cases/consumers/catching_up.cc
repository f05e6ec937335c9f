// SPDX-License-Identifier: Apache-2.0
// A consumer's watch begins in the past: between its list and its watch much was written.
#include "cases/consumers/followed_keys.h"

namespace watchproof {
namespace {

void WriteWhilePaused(Scenario& scenario, FollowedKeys& keys, const FollowStep& follow, int writes,
                      const ValueSize& size) {
  keys.Write(scenario.Random("before").Between(5, 15));
  scenario.Add(follow);
  scenario.Add(AwaitConsumerStep{AwaitConsumerStep::Fact::kListed});
  keys.Write(writes, size);
}

CONSUMER_CASE(
    CutWhileCatchingUp,
    {.explain = "Between the consumer's list and its watch keys are put and deleted. The "
                "connection is closed when the watch was created, but has not received them. "
                "The answer to a create names the head of the store, not what was delivered: a "
                "client that resumes behind it loses everything in between.",
     .needs = {Capability::kProxy}}) {
  FollowedKeys keys(scenario, 6);
  WriteWhilePaused(scenario, keys, FollowStep{.pause = true}, 60, {8 * 1024, 8 * 1024});
  scenario.Inject("close", {{"after-bytes", "32KiB"}});
  scenario.Add(ContinueStep{});
  scenario.AwaitEffect("close");
  scenario.Heal("close");
  scenario.Add(AwaitConsumerStep{AwaitConsumerStep::Fact::kFollowed});
  // A list comes to the head before there is a watch.
  scenario.Hold(200ms, 300ms);
  keys.Write(scenario.Random("after").Between(5, 15));
}

CONSUMER_CASE(
    LongHistory,
    {.explain = "Between the consumer's list and its watch there are 1200 writes. A store sends "
                "them in batches of at most 1000 revisions, each with the head of the store in "
                "its header. The consumer must receive each change."}) {
  FollowedKeys keys(scenario, 8);
  WriteWhilePaused(scenario, keys, FollowStep{.pause = true}, 1200, {});
  scenario.Add(ContinueStep{});
  keys.Write(scenario.Random("after").Between(5, 15));
}

CONSUMER_CASE(
    Fragments,
    {.explain = "The consumer asks for fragments. Between its list and its watch 4 MiB are "
                "written, more than a store sends in one response then: it must put the parts "
                "together, and pass each change on."}) {
  FollowedKeys keys(scenario, 6);
  WriteWhilePaused(scenario, keys,
                   FollowStep{.pause = true, .fragments = true, .ability = "fragments"}, 90,
                   {64 * 1024, 64 * 1024});
  scenario.Add(ContinueStep{});
  scenario.Add(AwaitConsumerStep{AwaitConsumerStep::Fact::kReceived});
  keys.Write(scenario.Random("after").Between(5, 15));
}

}  // namespace
}  // namespace watchproof
