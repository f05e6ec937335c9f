// SPDX-License-Identifier: Apache-2.0
// Judges only the watches of a recording, to measure the cost: `watchproof check` also judges the
// calls, which it keeps until the end.
//
//   judge_file FILE
//
// Exit code 0 without findings and undecided reasons.
#include <fmt/format.h>

#include "harness/checkers/judge.h"
#include "harness/history/reader.h"

namespace watchproof {
namespace {

int Run(const char* file) {
  const auto reader = HistoryReader::Open(file);
  if (!reader.has_value()) {
    fmt::print(stderr, "judge_file: {}\n", reader.error().ToString());
    return 2;
  }
  Judge judge({.calls = false});
  while (true) {
    const auto line = (*reader)->Next();
    if (!line.has_value()) {
      fmt::print(stderr, "judge_file: {}\n", line.error().ToString());
      return 2;
    }
    if (!line->has_value()) break;
    judge.Consume(**line);
  }
  if (!(*reader)->damage().empty()) {
    fmt::print(stderr, "judge_file: {} is {}\n", file, (*reader)->damage());
    return 2;
  }
  const std::size_t held = judge.held();
  const Judgement judgement = judge.Finish();
  fmt::print("{} changes held at the end\n", held);
  return judgement.findings.empty() && judgement.undecided.empty() ? 0 : 1;
}

}  // namespace
}  // namespace watchproof

int main(int argc, char** argv) {
  if (argc != 2) {
    fmt::print(stderr, "usage: judge_file FILE\n");
    return 2;
  }
  return watchproof::Run(argv[1]);
}
