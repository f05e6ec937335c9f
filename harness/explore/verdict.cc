// SPDX-License-Identifier: Apache-2.0
#include "harness/explore/verdict.h"

#include <cctype>

#include "harness/checkers/judge.h"
#include "harness/history/run_started.h"

namespace watchproof::explore {

Verdict JudgeLines(const std::vector<NumberedEntry>& lines) {
  const Result<RunStarted> started = ParseRunStarted(lines.front().entry.text);
  Judge judge(OptionsOf(started.value_or(RunStarted())));
  for (const NumberedEntry& line : lines) judge.Consume(line);
  Judgement judgement = judge.Finish();
  // Nothing but the script lets time pass here: what did not come is proven.
  for (Finding& finding : judgement.findings) finding.by_silence = false;
  return {.findings = std::move(judgement.findings), .undecided = std::move(judgement.undecided)};
}

std::string WithoutNumbers(std::string_view text) {
  std::string without;
  bool quoted = false;
  bool number = false;
  for (const char c : text) {
    if (c == '"') {
      quoted = !quoted;
      if (!quoted) without += "...";
    } else if (quoted) {
      continue;
    }
    const bool digit = std::isdigit(static_cast<unsigned char>(c)) != 0;
    if (digit && !number) without += 'N';
    if (!digit) without += c;
    number = digit;
  }
  return without;
}

std::string ShapeOf(const Finding& finding) {
  std::string shape =
      fmt::format("{}: {}", Name(finding.guarantee), WithoutNumbers(finding.expected));
  // A bug that is known must not hide another one that looks like it.
  if (!finding.signature.empty()) shape += fmt::format(" ({})", finding.signature);
  return shape;
}

}  // namespace watchproof::explore
