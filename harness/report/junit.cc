// SPDX-License-Identifier: Apache-2.0
// JUnit XML, for every CI system: one suite per target. It has no word for "undecided", hence
// errors with a type; what did not run is an error too, so that an interrupted run never looks
// green.
#include <fmt/format.h>

#include <map>

#include "harness/base/escape.h"
#include "harness/report/formats.h"
#include "harness/report/text.h"

namespace watchproof {
namespace {

// The element inside a test case, and its type.
struct Kind {
  std::string_view element;  // empty: none
  std::string_view type;
};
constexpr Kind kKinds[kOutcomes] = {
    {"", ""},                   // pass
    {"skipped", ""},            // unsupported
    {"skipped", ""},            // declared
    {"skipped", ""},            // known
    {"skipped", ""},            // not fetched
    {"error", "not_run"},       // not run
    {"error", "inconclusive"},  // inconclusive
    {"failure", "baseline"},    // fixed early
    {"error", "target"},        // target failed
    {"error", "harness"},       // harness error
    {"failure", "fail"},        // fail
    {"failure", "regression"},  // regression
};

struct Suite {
  std::string cases;
  int tests = 0;
  std::map<std::string_view, int> counts;  // by element
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

// Why an attempt counts as skipped.
std::string SkippedText(const AttemptRow& row) {
  if (row.summary == nullptr) return std::string(StyleOf(row.outcome).word);
  const AttemptResult& result = row.summary->result;
  if (row.outcome == Outcome::kUnsupported) return "unsupported: " + result.reason;
  if (row.outcome == Outcome::kDeclared) {
    return fmt::format("{} as declared: {}", Name(result.verdict), result.reason);
  }
  std::string text = "known failure: " + result.reason;
  for (const int issue : result.upstream) text += " " + IssueUrl(issue);
  return text;
}

// What stands inside the test case.
std::string Body(const RunRecord& record, const AttemptRow& row) {
  const Kind& kind = kKinds[static_cast<int>(row.outcome)];
  if (kind.element.empty()) return {};
  if (kind.element == "skipped") {
    return fmt::format("      <skipped message=\"{}\"/>\n", EscapeXml(SkippedText(row)));
  }
  if (row.summary == nullptr) {
    return Element(kind.element, kind.type, StyleOf(row.outcome).word, record.interrupted);
  }
  const AttemptResult& result = row.summary->result;
  if (row.outcome == Outcome::kRegression) {
    return Element(kind.element, kind.type, result.reason, FindingsBody(result, row.repeat));
  }
  if (row.outcome != Outcome::kFail) {
    return Element(kind.element, kind.type, result.reason, "repeat: " + row.repeat);
  }
  return Element(kind.element, result.findings.empty() ? kind.type : result.findings[0].guarantee,
                 Headline(result), FindingsBody(result, row.repeat));
}

// Some CI systems identify a test by class and name only and drop duplicates, so the target is part
// of the name.
std::string TestCase(const AttemptRow& row, std::string_view body) {
  const std::string_view name = row.case_name;
  const std::size_t dot = name.find('.');
  const std::string_view suite = name.substr(0, dot);
  std::string leaf(dot == std::string_view::npos ? name : name.substr(dot + 1));
  leaf += fmt::format(" [{}]", row.target);
  if (row.attempt > 1) leaf += fmt::format(" #{}", row.attempt);
  std::string place;
  if (row.note != nullptr && !row.note->file.empty()) {
    place = fmt::format(" file=\"{}\" line=\"{}\"", EscapeXml(row.note->file), row.note->line);
  }
  return fmt::format(
      "    <testcase classname=\"{}\" name=\"{}\" time=\"{:.3f}\"{}>\n{}    </testcase>\n",
      EscapeXml(Escaped(suite)), EscapeXml(Escaped(leaf)),
      row.summary == nullptr ? 0.0 : row.summary->result.seconds, place, body);
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

// The attributes that count what is inside.
std::string Counts(const Suite& suite, double seconds) {
  const auto count = [&suite](std::string_view element) {
    const auto found = suite.counts.find(element);
    return found == suite.counts.end() ? 0 : found->second;
  };
  return fmt::format("tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{:.3f}\"",
                     suite.tests, count("failure"), count("error"), count("skipped"), seconds);
}

std::string ToJunit(const RunRecord& record) {
  const ReportRows rows = RowsOf(record);
  std::map<std::string, Suite> suites;
  for (const AttemptRow& row : rows.attempts) {
    Suite& suite = suites[row.target];
    ++suite.tests;
    ++suite.counts[kKinds[static_cast<int>(row.outcome)].element];
    if (row.summary != nullptr) suite.seconds += row.summary->result.seconds;
    const std::string properties = row.summary == nullptr ? "" : Properties(row.summary->result);
    suite.cases += TestCase(row, properties + Body(record, row));
  }
  Suite all;
  std::string text;
  for (const TargetSpec& target : record.targets) {
    const Suite& suite = suites[target.text];
    all.tests += suite.tests;
    for (const auto& [element, n] : suite.counts) all.counts[element] += n;
    text += fmt::format("  <testsuite name=\"{}\" {} timestamp=\"{}\">\n{}  </testsuite>\n",
                        EscapeXml(Escaped(target.text)), Counts(suite, suite.seconds),
                        EscapeXml(record.started), suite.cases);
  }
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<testsuites name=\"watchproof\" {}>\n{}</testsuites>\n",
      Counts(all, record.seconds), text);
}

const FormatRegistration kJunit{{.file = "junit.xml", .render = &ToJunit}};

}  // namespace
}  // namespace watchproof
