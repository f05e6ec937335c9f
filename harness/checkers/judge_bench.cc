// SPDX-License-Identifier: Apache-2.0
// Events judged per second from memory that is decoded already: many watchers of one key, 100-byte
// values. Run by hand: build/release/harness/checkers/judge_bench
#include <benchmark/benchmark.h>

#include "harness/base/check.h"
#include "harness/checkers/testing/script.h"

namespace watchproof {
namespace {

// `late`: the answer to each write stands behind its events, as it mostly does.
std::vector<NumberedEntry> OneHotKey(int watchers, int writes, bool late) {
  Script script;
  for (int i = 0; i < watchers; ++i) script.Watch("key", 0);
  for (int i = 0; i < watchers; ++i) script.Created(i, 1);
  const std::string value(100, 'v');
  for (int revision = 2; revision < 2 + writes; ++revision) {
    const KeyValueFields kv{
        .key = "key", .value = value, .create = 2, .mod = revision, .version = revision - 1};
    const auto call = static_cast<std::uint32_t>(revision);
    script.StartPut(call, "key", value);
    if (!late) script.AckPut(call, revision);
    for (int i = 0; i < watchers; ++i) script.DeliverRaw(i, {{.deleted = false, .kv = kv}});
    if (late) script.AckPut(call, revision);
  }
  return script.lines();
}

void JudgeOneHotKey(benchmark::State& state) {
  const auto watchers = static_cast<int>(state.range(0));
  const int writes = 200'000 / watchers;
  const std::vector<NumberedEntry> lines = OneHotKey(watchers, writes, state.range(1) != 0);
  for (auto _ : state) {
    Judge judge({});
    for (const NumberedEntry& line : lines) judge.Consume(line);
    const Judgement judgement = judge.Finish();
    WP_CHECK(judgement.findings.empty() && judgement.undecided.empty(), "the load is perfect");
  }
  state.SetItemsProcessed(state.iterations() * watchers * writes);
}
BENCHMARK(JudgeOneHotKey)
    ->ArgNames({"watchers", "late"})
    ->Args({1000, 0})
    ->Args({1000, 1})
    ->Args({1, 0})
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace watchproof

BENCHMARK_MAIN();
