// SPDX-License-Identifier: Apache-2.0
// JUnit XML, for every CI system: one suite per target. It has no word for "undecided", hence
// errors with a type; what did not run is an error too, so that an interrupted run never looks
// green.
#include <fmt/format.h>

#include <map>

#include "harness/base/escape.h"
#include "harness/report/finding_rows.h"
#include "harness/report/formats.h"
#include "harness/report/text.h"

namespace watchproof {
namespace {

struct Suite {
  std::string cases;
  int tests = 0;
  int failures = 0;
  int errors = 0;
  int skipped = 0;
  double seconds = 0;
};

std::string Element(std::string_view name, std::string_view type, std::string_view message,
                    std::string_view body) {
  return fmt::format("      <{0} type=\"{1}\" message=\"{2}\">{3}</{0}>\n", name, type,
                     EscapeXml(message), EscapeXml(body));
}

std::string FindingsBody(const AttemptResult& result, const std::string& repeat) {
  std::string body = "\n";
  for (const FindingRecord& finding : result.findings) body += ToText(finding);
  return body + fmt::format("repeat: {}\n", repeat);
}

std::string FirstLine(const AttemptResult& result) {
  if (result.findings.empty()) return result.reason;
  const FindingRecord& finding = result.findings.front();
  return fmt::format("{}: expected {}, observed {}", finding.guarantee, finding.expected,
                     finding.observed);
}

std::string KnownText(const AttemptResult& result) {
  std::string text = "known failure: " + result.reason;
  for (const int issue : result.upstream) {
    text += fmt::format(" https://github.com/etcd-io/etcd/issues/{}", issue);
  }
  return text;
}

// What stands inside the test case, and which counter it moves.
std::string Body(const RunRecord& record, const AttemptSummary& attempt, Suite& suite) {
  const AttemptResult& result = attempt.result;
  const std::string repeat = RepeatCommand(record, result);
  switch (OutcomeOf(attempt)) {
    case Outcome::kPass:
      return {};
    case Outcome::kFail:
      ++suite.failures;
      return Element("failure", result.findings.empty() ? "fail" : result.findings[0].guarantee,
                     FirstLine(result), FindingsBody(result, repeat));
    case Outcome::kUnexpectedPass:
      ++suite.failures;
      return Element("failure", "baseline", result.reason, "repeat: " + repeat);
    case Outcome::kKnown:
      ++suite.skipped;
      return fmt::format("      <skipped message=\"{}\"/>\n", EscapeXml(KnownText(result)));
    case Outcome::kUnsupported:
      ++suite.skipped;
      return fmt::format("      <skipped message=\"{}\"/>\n",
                         EscapeXml("unsupported: " + result.reason));
    case Outcome::kDeclared:
      ++suite.skipped;
      return fmt::format(
          "      <skipped message=\"{}\"/>\n",
          EscapeXml(fmt::format("{} as declared: {}", Name(result.verdict), result.reason)));
    case Outcome::kInconclusive:
      ++suite.errors;
      return Element("error", "inconclusive", result.reason, "repeat: " + repeat);
    case Outcome::kTargetFailed:
      ++suite.errors;
      return Element("error", "target", result.reason, "repeat: " + repeat);
    case Outcome::kHarnessError:
    case Outcome::kNotFetched:
    case Outcome::kNotRun:
      break;
  }
  ++suite.errors;
  return Element("error", "harness", result.reason, "repeat: " + repeat);
}

struct TestName {
  std::string_view case_name;
  std::string_view target;
  int attempt = 1;
};

// Some CI systems identify a test by class and name only and drop duplicates, so the target is part
// of the name.
std::string TestCase(const RunRecord& record, const TestName& test, double seconds,
                     std::string_view body) {
  const std::string_view name = test.case_name;
  const std::size_t dot = name.find('.');
  const std::string_view suite = name.substr(0, dot);
  std::string leaf(dot == std::string_view::npos ? name : name.substr(dot + 1));
  leaf += fmt::format(" [{}]", test.target);
  if (test.attempt > 1) leaf += fmt::format(" #{}", test.attempt);
  std::string place;
  if (const CaseSummary* note = FindCaseSummary(record, name);
      note != nullptr && !note->file.empty()) {
    place = fmt::format(" file=\"{}\" line=\"{}\"", EscapeXml(note->file), note->line);
  }
  return fmt::format(
      "    <testcase classname=\"{}\" name=\"{}\" time=\"{:.3f}\"{}>\n{}    </testcase>\n",
      EscapeXml(Escaped(suite)), EscapeXml(Escaped(leaf)), seconds, place, body);
}

std::string Properties(const AttemptResult& result) {
  return fmt::format(
      "      <properties>\n"
      "        <property name=\"seed\" value=\"{}\"/>\n"
      "        <property name=\"verdict\" value=\"{}\"/>\n"
      "        <property name=\"folder\" value=\"{}\"/>\n"
      "      </properties>\n",
      EscapeXml(result.seed), Name(result.verdict), EscapeXml(result.folder));
}

}  // namespace

std::string ToJunit(const RunRecord& record) {
  std::map<std::string, Suite> suites;
  for (const std::string& target : record.targets) suites[target];
  for (const AttemptSummary& attempt : record.attempts) {
    const AttemptResult& result = attempt.result;
    Suite& suite = suites[result.target];
    ++suite.tests;
    suite.seconds += result.seconds;
    const std::string body = Properties(result) + Body(record, attempt, suite);
    suite.cases +=
        TestCase(record, {result.case_name, result.target, result.attempt}, result.seconds, body);
  }
  for (const NotRun& attempt : record.not_run) {
    Suite& suite = suites[attempt.target];
    ++suite.tests;
    if (attempt.outcome == Outcome::kNotFetched) {
      ++suite.skipped;
      suite.cases += TestCase(record, {attempt.case_name, attempt.target, attempt.attempt}, 0,
                              "      <skipped message=\"not fetched\"/>\n");
      continue;
    }
    ++suite.errors;
    suite.cases += TestCase(record, {attempt.case_name, attempt.target, attempt.attempt}, 0,
                            Element("error", "not_run", "not run", record.interrupted));
  }
  Suite all;
  std::string text;
  for (const std::string& target : record.targets) {
    const Suite& suite = suites[target];
    all.tests += suite.tests;
    all.failures += suite.failures;
    all.errors += suite.errors;
    all.skipped += suite.skipped;
    text += fmt::format(
        "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" "
        "time=\"{:.3f}\" timestamp=\"{}\">\n{}  </testsuite>\n",
        EscapeXml(Escaped(target)), suite.tests, suite.failures, suite.errors, suite.skipped,
        suite.seconds, EscapeXml(record.started), suite.cases);
  }
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<testsuites name=\"watchproof\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" "
      "time=\"{:.3f}\">\n{}</testsuites>\n",
      all.tests, all.failures, all.errors, all.skipped, record.seconds, text);
}

}  // namespace watchproof
