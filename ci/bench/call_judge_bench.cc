// SPDX-License-Identifier: Apache-2.0
// 100,000 key-value calls of 64 clients, 2 % of the writes without an answer. Run by hand:
// build/release/harness/checkers/call_judge_bench
#include <benchmark/benchmark.h>

#include "harness/base/check.h"
#include "harness/checkers/judge.h"
#include "harness/checkers/testing/call_load.h"

namespace watchproof {
namespace {

void JudgeCalls(benchmark::State& state) {
  const std::vector<NumberedEntry> lines = MakeCallLoad({.calls = 100'000,
                                                         .clients = 64,
                                                         .keys = 1000,
                                                         .unknown = 0.02,
                                                         .control = state.range(0) != 0});
  std::uint64_t judged = 0;
  for (auto _ : state) {
    Judge judge({});
    for (const NumberedEntry& line : lines) judge.Consume(line);
    const Judgement judgement = judge.Finish();
    WP_CHECK(judgement.findings.empty(), "the load is perfect");
    judged = judgement.calls.judged;
  }
  state.SetItemsProcessed(state.iterations() * 100'000);
  state.counters["judged_whole"] = static_cast<double>(judged);
}
BENCHMARK(JudgeCalls)->ArgName("control")->Arg(1)->Arg(0)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace watchproof

BENCHMARK_MAIN();
