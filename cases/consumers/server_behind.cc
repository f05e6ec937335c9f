// SPDX-License-Identifier: Apache-2.0
// A client of the Kubernetes API comes to a server with a cache that is behind, and its list is
// refused.
#include "cases/consumers/followed_keys.h"

namespace watchproof {
namespace {

CONSUMER_CASE(
    ServerBehind,
    {.explain = "The consumer's informer follows at a server of the API that then shuts down, "
                "and goes on at another one, with a watch cache that is behind for 25 s. Its "
                "list at the last revision is refused: 'Too large resource version'. An "
                "informer must then list what there is; before client-go 0.18.6 it asks for "
                "the same again, for as long as the cache is behind (Kubernetes #91073); so "
                "does one that lists by a watch, as since 0.35 (Kubernetes #139766)."}) {
  FollowedKeys keys(scenario, 4);
  keys.Write(scenario.Random("before").Between(5, 15));
  scenario.Add(FollowStep{.pause = true});
  scenario.Add(AwaitConsumerStep{AwaitConsumerStep::Fact::kListed});
  keys.Write(scenario.Random("ahead").Between(5, 15));
  scenario.Put(keys.New());
  scenario.Add(AwaitConsumerStep{AwaitConsumerStep::Fact::kFollowed});
  scenario.Add(MoveConsumerStep{});
  // Room for three lists that each wait for 3 s, and for the pauses in between.
  scenario.Hold(25s, 25s);
  scenario.Add(ContinueStep{});
  scenario.Put(keys.New());
  scenario.Add(
      ExpectReportStep{.kind = "refused", .layer = "api", .error = "Too large resource version"});
  scenario.Add(ExpectReportStep{.kind = "relist", .layer = "reflector"});
}

}  // namespace
}  // namespace watchproof
