// SPDX-License-Identifier: Apache-2.0
#include "harness/explore/verdict.h"

#include <cctype>

#include "harness/checkers/judge.h"
#include "harness/history/run_started.h"

namespace watchproof::explore {

BrokenGuarantee BrokenBy(const Finding& finding) {
  return {.guarantee = std::string(Name(finding.guarantee)),
          .watch = finding.watch,
          .expected = finding.expected,
          .observed = finding.observed,
          .signature = finding.signature};
}

Verdict JudgeLines(const std::vector<NumberedEntry>& lines) {
  const Result<RunStarted> started = ParseRunStarted(lines.front().entry.text);
  Judge judge(OptionsOf(started.value_or(RunStarted())));
  for (const NumberedEntry& line : lines) judge.Consume(line);
  Judgement judgement = judge.Finish();
  Verdict verdict;
  for (const Finding& finding : judgement.findings) verdict.findings.push_back(BrokenBy(finding));
  verdict.undecided = std::move(judgement.undecided);
  return verdict;
}

std::string ShapeOf(const BrokenGuarantee& broken) {
  std::string shape = broken.guarantee + ": ";
  bool quoted = false;
  for (const char c : broken.expected) {
    if (c == '"') quoted = !quoted;
    if (quoted || std::isdigit(static_cast<unsigned char>(c)) != 0) continue;
    shape += c;
  }
  // A bug that is known must not hide another one that looks like it.
  if (!broken.signature.empty()) shape += fmt::format(" ({})", broken.signature);
  return shape;
}

}  // namespace watchproof::explore
