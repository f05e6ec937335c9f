// SPDX-License-Identifier: Apache-2.0
// A consumer requests progress, and relies on the answer.
#include "cases/consumers/followed_keys.h"

namespace watchproof {
namespace {

void FollowToHead(Scenario& scenario, FollowedKeys& keys) {
  Prng prng = scenario.Random("shape");
  keys.Write(prng.Between(5, 15));
  Follow(scenario);
  keys.Write(prng.Between(5, 15));
  scenario.Add(AwaitConsumerStep{AwaitConsumerStep::Fact::kReceived});
}

// With more on the way than the wire takes, so that the store's queue has some of it.
void FallBehind(Scenario& scenario, FollowedKeys& keys) {
  FollowToHead(scenario, keys);
  scenario.Inject("hold-stream");
  keys.Write(60, {16 * 1024, 16 * 1024});
  scenario.AwaitEffect("hold-stream");
}

CONSUMER_CASE(
    ResumeAfterProgress,
    {.explain = "The consumer has received everything, requests progress and receives the "
                "revision of its last event. Then the connection is reset. A client must "
                "resume one above that revision; etcd's client for Go resumed at it up to "
                "3.4.23 and 3.5.7, and passed the last event on twice (etcd #15248).",
     .needs = {Capability::kProxy}}) {
  FollowedKeys keys(scenario, 4);
  FollowToHead(scenario, keys);
  scenario.Add(AskProgressStep{});
  scenario.Add(AwaitConsumerStep{AwaitConsumerStep::Fact::kNotified});
  scenario.Inject("reset");
  scenario.AwaitEffect("reset");
  scenario.Heal("reset");
  keys.Write(scenario.Random("after").Between(5, 15));
}

CONSUMER_CASE(
    ProgressWhileBehind,
    {.explain = "What the store sends on the stream of the watches is held back while keys are "
                "put and deleted, and the consumer requests progress. The answer must not "
                "come before the events up to its revision (etcd #15220): a consumer that "
                "trusts it takes what it holds for complete, and resumes behind them.",
     .needs = {Capability::kProxy},
     .guarantees = {"Bookmarkable"},
     .upstream = {15220}}) {
  FollowedKeys keys(scenario, 4);
  FallBehind(scenario, keys);
  scenario.Add(AskProgressStep{});
  // The answer, if it is given at once, waits for room on the wire beside the events.
  scenario.Hold(300ms, 500ms);
  scenario.Heal("hold-stream");
  keys.Write(scenario.Random("after").Between(5, 15));
}

CONSUMER_CASE(
    ReadWhileBehind,
    {.explain = "What the store sends on the stream of the watches is held back while keys are "
                "put and deleted. Then the consumer is asked for a consistent list. A cache "
                "that is behind must not answer it before it has come to the head of the store, "
                "for which it may request progress; where progress comes before events (etcd "
                "#15220), what it answers is older than it says. Kubernetes requests none of "
                "releases that are known for that, and lists from the store instead.",
     .needs = {Capability::kProxy},
     .upstream = {15220}}) {
  FollowedKeys keys(scenario, 4);
  FallBehind(scenario, keys);
  scenario.Add(AskReadStep{});
  // A cache waits for 100 ms before it requests progress, and for 3 s before it gives up.
  scenario.Hold(500ms, 1s);
  scenario.Add(RequireBehindStep{});
  scenario.Heal("hold-stream");
  scenario.Add(AwaitConsumerStep{AwaitConsumerStep::Fact::kRead});
  keys.Write(scenario.Random("after").Between(5, 15));
}

CONSUMER_CASE(
    WatchBehindProgress,
    {.explain = "What the store sends on the stream of other watches of the client is held back, "
                "and progress is requested. Then the consumer opens its watch, which begins in the "
                "past. Where the answer comes behind the created response, and before the events "
                "of the watch, it is taken for that watch, too: when the connection is cut then, "
                "the client goes on behind the answer, and what came before is lost.",
     .needs = {Capability::kProxy}}) {
  FollowedKeys keys(scenario, 4);
  Prng prng = scenario.Random("shape");
  keys.Write(prng.Between(5, 15));
  scenario.Add(FollowStep{.with = FollowStep::With::kNeighbour});
  scenario.Add(AwaitRegisteredStep{1});
  scenario.Add(FollowStep{.pause = true});
  scenario.Add(AwaitConsumerStep{AwaitConsumerStep::Fact::kListed});
  scenario.Inject("hold-stream");
  keys.Write(60, {16 * 1024, 16 * 1024});
  scenario.AwaitEffect("hold-stream");
  scenario.Add(AskProgressStep{});
  scenario.Hold(300ms, 500ms);
  scenario.Add(ContinueStep{.await_watch = true});
  scenario.Inject("bandwidth", {{"rate", "512KiB"}});
  scenario.Heal("hold-stream");
  // Where the first answer was none for that watch, this one is, behind its events.
  scenario.Hold(200ms, 300ms);
  scenario.Add(AskProgressStep{});
  scenario.Add(AwaitConsumerStep{AwaitConsumerStep::Fact::kNotified});
  scenario.Inject("reset");
  scenario.AwaitEffect("reset");
  scenario.Heal("reset");
  scenario.Heal("bandwidth");
  keys.Write(prng.Between(5, 15));
}

}  // namespace
}  // namespace watchproof
