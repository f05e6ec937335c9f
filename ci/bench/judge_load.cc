// SPDX-License-Identifier: Apache-2.0
// The recording of a correct run of any size, to measure the cost of judging it.
//
//   judge_load record hot|ranges EVENTS FILE   # prints how many events there are
//   judge_load judge FILE                      # only the watches; exit code 0 without findings
//
// hot: 1000 watchers of one key; ranges: 10,000 of random ranges, with previous values. The store
// is compacted after every 1000 writes. `watchproof check` also judges the calls, which it keeps
// until the end.
#include <fmt/format.h>

#include <cstdlib>
#include <string>

#include "harness/checkers/judge.h"
#include "harness/checkers/testing/watch_load.h"
#include "harness/history/reader.h"
#include "harness/history/recorder.h"

namespace watchproof {
namespace {

Status Record(const std::string& kind, std::size_t events, const std::string& file) {
  const bool ranges = kind == "ranges";
  // Entries that wait for the writer cost memory here, which is not measured.
  WP_ASSIGN_OR_RETURN(
      const auto recorder,
      Recorder::Open({.file = file, .capacity = ByteCount(8LL << 30), .follow = false}));
  const std::size_t made =
      MakeWatchLoad({.watchers = ranges ? 10'000U : 1000U,
                     .events = events,
                     .random_ranges = ranges,
                     .previous_values = ranges,
                     .late = true,
                     .compact_every = 1000},
                    [&](Entry entry) { (void)recorder->Append(std::move(entry)); });
  if (recorder->incomplete()) return Fail(StatusCode::kDataLoss, "{} is incomplete", file);
  WP_RETURN_IF_ERROR(recorder->Close());
  fmt::print("{}\n", made);
  return {};
}

Status JudgeFile(const std::string& file) {
  WP_ASSIGN_OR_RETURN(const auto reader, HistoryReader::Open(file));
  Judge judge({.calls = false});
  while (true) {
    WP_ASSIGN_OR_RETURN(const auto line, reader->Next());
    if (!line) break;
    judge.Consume(*line);
  }
  if (!reader->damage().empty()) {
    return Fail(StatusCode::kDataLoss, "{} is {}", file, reader->damage());
  }
  const std::size_t held = judge.held();
  const Judgement judgement = judge.Finish();
  fmt::print("{} changes held at the end\n", held);
  if (judgement.findings.empty() && judgement.undecided.empty()) return {};
  return Fail(StatusCode::kInternal, "the load is correct, and was judged otherwise");
}

}  // namespace
}  // namespace watchproof

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "";
  watchproof::Status done;
  if (mode == "record" && argc == 5) {
    done = watchproof::Record(argv[2], std::strtoull(argv[3], nullptr, 10), argv[4]);
  } else if (mode == "judge" && argc == 3) {
    done = watchproof::JudgeFile(argv[2]);
  } else {
    fmt::print(stderr, "usage: judge_load record hot|ranges EVENTS FILE | judge FILE\n");
    return 2;
  }
  if (!done.ok()) fmt::print(stderr, "judge_load: {}\n", done.ToString());
  return done.ok() ? 0 : 1;
}
