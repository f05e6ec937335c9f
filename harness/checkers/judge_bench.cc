// SPDX-License-Identifier: Apache-2.0
// Events judged per second, from memory and from a recording with its decoding: many watchers of
// one key, 100-byte values. Run by hand: build/release/harness/checkers/judge_bench
#include <benchmark/benchmark.h>

#include <unistd.h>

#include "harness/base/check.h"
#include "harness/checkers/testing/script.h"
#include "harness/history/reader.h"

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

// Written by the recorder, as a run does; the last thing is to remove it.
class RecordingFile {
 public:
  explicit RecordingFile(const std::vector<NumberedEntry>& lines)
      : path_(std::filesystem::temp_directory_path() /
              fmt::format("judge_bench-{}.wire.zst", getpid())) {
    auto recorder = Recorder::Open({.file = path_, .follow = false});
    WP_CHECK(recorder.has_value(), "the recording can be written");
    for (const NumberedEntry& line : lines) (*recorder)->Append(line.entry);
    WP_CHECK((*recorder)->Close().ok(), "the recording can be written");
  }
  ~RecordingFile() { std::filesystem::remove(path_); }
  RecordingFile(const RecordingFile&) = delete;
  RecordingFile& operator=(const RecordingFile&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  const std::filesystem::path path_;
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

void JudgeRecording(benchmark::State& state) {
  const auto watchers = static_cast<int>(state.range(0));
  const int writes = 200'000 / watchers;
  const RecordingFile file(OneHotKey(watchers, writes, state.range(1) != 0));
  for (auto _ : state) {
    Judge judge({});
    ReadAll(file.path(), [&](const NumberedEntry& line) { judge.Consume(line); });
    const Judgement judgement = judge.Finish();
    WP_CHECK(judgement.findings.empty() && judgement.undecided.empty(), "the load is perfect");
  }
  state.SetItemsProcessed(state.iterations() * watchers * writes);
}
BENCHMARK(JudgeRecording)
    ->ArgNames({"watchers", "late"})
    ->Args({1000, 0})
    ->Args({1000, 1})
    ->Args({1, 0})
    ->Unit(benchmark::kMillisecond);

// What of it is decoding.
void DecodeRecording(benchmark::State& state) {
  constexpr int kWatchers = 1000;
  constexpr int kWrites = 200;
  const RecordingFile file(OneHotKey(kWatchers, kWrites, true));
  for (auto _ : state) {
    ReadAll(file.path(), [](const NumberedEntry& line) { benchmark::DoNotOptimize(line.line); });
  }
  state.SetItemsProcessed(state.iterations() * kWatchers * kWrites);
}
BENCHMARK(DecodeRecording)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace watchproof

BENCHMARK_MAIN();
