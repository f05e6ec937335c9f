// SPDX-License-Identifier: Apache-2.0
// Events judged per second, from memory and from a recording with its decoding: many watchers of
// one key, and of random ranges; and key-value calls. See ci/jobs/figures.py.
#include <benchmark/benchmark.h>

#include <unistd.h>

#include "harness/base/check.h"
#include "harness/checkers/judge.h"
#include "harness/checkers/testing/call_load.h"
#include "harness/checkers/testing/watch_load.h"
#include "harness/history/reader.h"
#include "harness/history/recorder.h"

namespace watchproof {
namespace {

std::vector<NumberedEntry> Lines(const WatchLoad& load, std::size_t& events) {
  std::vector<NumberedEntry> lines;
  events = MakeWatchLoad(load, [&](Entry entry) {
    lines.push_back({Line(lines.size() + 1), std::move(entry)});
  });
  return lines;
}

// Watchers of one key, 200,000 events; `late` as of WatchLoad.
WatchLoad OneHotKey(const benchmark::State& state) {
  return {.watchers = static_cast<std::size_t>(state.range(0)), .late = state.range(1) != 0};
}
// 10,000 watchers, all of different ranges, with previous values.
WatchLoad RandomRanges() {
  return {.watchers = 10'000,
          .events = 1'000'000,
          .random_ranges = true,
          .previous_values = true,
          .late = true};
}

void Finish(Judge& judge) {
  const Judgement judgement = judge.Finish();
  WP_CHECK(judgement.findings.empty() && judgement.undecided.empty(), "the load is perfect");
}

void JudgeLines(benchmark::State& state, const WatchLoad& load) {
  std::size_t events = 0;
  const std::vector<NumberedEntry> lines = Lines(load, events);
  for (auto _ : state) {
    Judge judge({.calls = false});
    for (const NumberedEntry& line : lines) judge.Consume(line);
    Finish(judge);
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(events));
}

void JudgeOneHotKey(benchmark::State& state) { JudgeLines(state, OneHotKey(state)); }
BENCHMARK(JudgeOneHotKey)
    ->ArgNames({"watchers", "late"})
    ->Args({1000, 0})
    ->Args({1000, 1})
    ->Args({1, 0})
    ->Unit(benchmark::kMillisecond);

void JudgeRandomRanges(benchmark::State& state) { JudgeLines(state, RandomRanges()); }
BENCHMARK(JudgeRandomRanges)->Unit(benchmark::kMillisecond);

// Written by the recorder, as in a run; removed at the end.
class RecordingFile {
 public:
  explicit RecordingFile(const WatchLoad& load)
      : path_(std::filesystem::temp_directory_path() /
              fmt::format("judge_bench-{}.wire.zst", getpid())) {
    auto recorder = Recorder::Open({.file = path_, .follow = false});
    WP_CHECK(recorder.has_value(), "the recording can be written");
    events_ = MakeWatchLoad(load, [&](Entry entry) { (*recorder)->Append(std::move(entry)); });
    WP_CHECK(!(*recorder)->incomplete() && (*recorder)->Close().ok(),
             "the recording can be written");
  }
  ~RecordingFile() { std::filesystem::remove(path_); }
  RecordingFile(const RecordingFile&) = delete;
  RecordingFile& operator=(const RecordingFile&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::int64_t events() const { return static_cast<std::int64_t>(events_); }

 private:
  const std::filesystem::path path_;
  std::size_t events_ = 0;
};

template <typename Take>
void ReadAll(const std::filesystem::path& path, Take take) {
  auto reader = HistoryReader::Open(path);
  WP_CHECK(reader.has_value(), "the recording can be read");
  while (true) {
    auto line = (*reader)->Next();
    WP_CHECK(line.has_value(), "the recording is whole");
    if (!line->has_value()) return;
    take(**line);
  }
}

void JudgeFile(benchmark::State& state, const WatchLoad& load) {
  const RecordingFile file(load);
  for (auto _ : state) {
    Judge judge({.calls = false});
    ReadAll(file.path(), [&](const NumberedEntry& line) { judge.Consume(line); });
    Finish(judge);
  }
  state.SetItemsProcessed(state.iterations() * file.events());
}

void JudgeRecording(benchmark::State& state) { JudgeFile(state, OneHotKey(state)); }
BENCHMARK(JudgeRecording)
    ->ArgNames({"watchers", "late"})
    ->Args({1000, 0})
    ->Args({1000, 1})
    ->Args({1, 0})
    ->Unit(benchmark::kMillisecond);

void JudgeRecordingOfRandomRanges(benchmark::State& state) { JudgeFile(state, RandomRanges()); }
BENCHMARK(JudgeRecordingOfRandomRanges)->Unit(benchmark::kMillisecond);

// The share of decoding.
void DecodeRecording(benchmark::State& state) {
  const RecordingFile file({.late = true});
  for (auto _ : state) {
    ReadAll(file.path(), [](const NumberedEntry& line) { benchmark::DoNotOptimize(line.line); });
  }
  state.SetItemsProcessed(state.iterations() * file.events());
}
BENCHMARK(DecodeRecording)->Unit(benchmark::kMillisecond);

// 100,000 key-value calls of 64 clients, 2 % of the writes without an answer.
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
