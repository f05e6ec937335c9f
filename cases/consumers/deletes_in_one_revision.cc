// SPDX-License-Identifier: Apache-2.0
// Many deletions are one revision, and the connection ends in the middle of them.
#include "cases/consumers/followed_keys.h"

namespace watchproof {
namespace {

CONSUMER_CASE(
    DeletesInOneRevision,
    {.explain = "All keys that the consumer follows are deleted by one request, which is one "
                "revision, and the connection is closed in the middle of the response with "
                "these events. What has come of a revision says nothing of the rest of it: a "
                "client that resumes behind it, or a server that sends it in two responses, "
                "leaves keys in the cache that are gone.",
     .needs = {Capability::kProxy}}) {
  FollowedKeys keys(scenario, 0);
  std::vector<std::string> deleted;
  for (std::int64_t i = scenario.Between(12, 20); i > 0; --i) deleted.push_back(keys.New());
  for (const std::string& key : deleted) scenario.Put(key, {1000, 2000});
  Follow(scenario);
  scenario.Put(deleted.back());
  scenario.Add(AwaitConsumerStep{AwaitConsumerStep::Fact::kReceived});
  // Without previous values the response has some 60 bytes for each key.
  scenario.Inject("close", {{"after-bytes", "300B"}});
  scenario.DeleteAll(Below(FollowedStem()));
  scenario.AwaitEffect("close");
  scenario.Heal("close");
  scenario.Put(deleted.front());
  scenario.Put(keys.New());
}

}  // namespace
}  // namespace watchproof
