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
          .signature = finding.signature,
          .at = finding.at,
          .promise =
              finding.promise.empty() ? std::string(Promise(finding.guarantee)) : finding.promise,
          .proven = !finding.by_silence};
}

Verdict JudgeLines(const std::vector<NumberedEntry>& lines) {
  const Result<RunStarted> started = ParseRunStarted(lines.front().entry.text);
  Judge judge(OptionsOf(started.value_or(RunStarted())));
  for (const NumberedEntry& line : lines) judge.Consume(line);
  Judgement judgement = judge.Finish();
  Verdict verdict;
  for (const Finding& finding : judgement.findings) {
    verdict.findings.push_back(BrokenBy(finding));
    // Nothing but the script lets time pass here.
    verdict.findings.back().proven = true;
  }
  verdict.undecided = std::move(judgement.undecided);
  return verdict;
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

std::string ShapeOf(const BrokenGuarantee& broken) {
  std::string shape = fmt::format("{}: {}", broken.guarantee, WithoutNumbers(broken.expected));
  // A bug that is known must not hide another one that looks like it.
  if (!broken.signature.empty()) shape += fmt::format(" ({})", broken.signature);
  return shape;
}

}  // namespace watchproof::explore
