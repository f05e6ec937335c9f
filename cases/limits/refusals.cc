// SPDX-License-Identifier: Apache-2.0
// Writes on both sides of each limit, alone, in transactions, and in transactions within these.
#include "cases/support/watch_case.h"
#include "harness/scenario/steps/auth.h"
#include "harness/scenario/steps/limits.h"

namespace watchproof {
namespace {

constexpr int kOperations = 128;
constexpr std::size_t kRequest = 1536 << 10;
constexpr std::size_t kRest = 4096;  // of a request, beside its value

// A transaction of so many puts, of keys of their own.
TxnStep Puts(Scenario& scenario, const std::string& stem, int count) {
  TxnStep txn;
  for (int i = 0; i < count; ++i) {
    txn.writes.push_back(PutStep{fmt::format("{}/{}", stem, i), scenario.Value()});
  }
  return txn;
}

WATCH_CASE(Limited, Requests,
           {.requirement = "a transaction has at most 128 operations, and a request 1.5 MiB "
                           "(etcd, --max-txn-ops and --max-request-bytes)",
            .explain = "Transactions with one operation more and one less than a target takes are "
                       "made, also where some of the operations are in a transaction in it, and "
                       "puts of values somewhat smaller and larger than a request may be, alone, "
                       "in a transaction, and in one in that. What is beyond the limit must be "
                       "refused, and change nothing.",
            .needs = {Capability::kQuota},
            .guarantees = {"Limited", "Reliable"}}) {
  const std::string stem = scenario.Key("limit");
  scenario.Open({.group = "all", .range = Below(stem)});
  scenario.Add(LimitsStep{.operations = kOperations, .request = kRequest});
  std::vector<Step> calls;
  for (const int count : {kOperations - 1, kOperations, kOperations + 1}) {
    calls.push_back(Puts(scenario, stem, count));
    const int inner = static_cast<int>(scenario.Between(2, 100));
    TxnStep outer = Puts(scenario, stem + "/outer", count - inner - 1);
    outer.writes.push_back(Puts(scenario, stem + "/inner", inner));
    calls.push_back(outer);
  }
  for (const std::size_t bytes : {kRequest - kRest, kRequest + 1, 2 * kRequest}) {
    const Step put = PutStep{stem + "/large", scenario.Value({bytes, bytes})};
    const Step txn = TxnStep{.writes = {put}};
    calls.push_back(put);
    calls.push_back(txn);
    calls.push_back(TxnStep{.writes = {txn}});
  }
  scenario.Shuffle(calls);
  scenario.Add(CallsStep{.calls = std::move(calls)});
  scenario.PutSome(stem + "/after", {1, 5});
  scenario.AwaitDelivered("all");
}

WATCH_CASE(
    Limited, Space,
    {.requirement = "once the space quota is reached, the store takes no more puts until "
                    "it has space again (etcd operations guide, space quota)",
     .explain = "A store with a small quota is filled by transactions in transactions that "
                "put (etcd #22139: these cost no space, and the store "
                "grows beyond its quota). A second later more of them, and puts alone and in "
                "a transaction, are tried, which must be refused. Then the history is compacted, "
                "the backend is "
                "defragmented, the alarm is disarmed, and keys are put again.",
     .needs = {Capability::kQuota, Capability::kCompaction},
     .guarantees = {"Limited", "Reliable"},
     .upstream = {22139}}) {
  constexpr int kQuota = 8;  // MiB
  constexpr std::size_t kValue = 512 << 10;
  constexpr int kMore = (kQuota << 20) / kValue + 2;
  const std::string stem = scenario.Key("full");
  scenario.Cluster({.quota_mib = kQuota});
  scenario.Add(LimitsStep{.space = std::int64_t{kQuota} << 20});
  scenario.Open({.group = "all", .range = Below(stem)});
  const auto put = [&](int depth) {
    Step step = PutStep{stem + "/large", scenario.Value({kValue, kValue})};
    for (int i = 0; i < depth; ++i) step = TxnStep{.writes = {step}};
    return step;
  };
  const int deepest = static_cast<int>(scenario.Between(2, 4));
  std::vector<Step> fill;
  for (int i = 0; i < kMore; ++i) fill.push_back(put(deepest));
  scenario.Add(CallsStep{.calls = std::move(fill)});
  scenario.Hold(1200ms, 1500ms);
  scenario.Add(CallsStep{.calls = {put(deepest), put(0), put(1), put(2)}});
  scenario.AwaitDelivered("all");
  scenario.Compact(AtHead());
  scenario.Add(OperatorStep{"defragment"});
  scenario.Add(OperatorStep{.call = "alarm", .change = true});
  scenario.PutSome(stem + "/after", {1, 5});
  scenario.AwaitDelivered("all");
}

}  // namespace
}  // namespace watchproof
