// SPDX-License-Identifier: Apache-2.0
#include "harness/results/expectations.h"

#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>

#include <algorithm>

#include "harness/base/check.h"
#include "harness/results/manifest_text.h"

namespace watchproof {
namespace {

Status FailAt(const toml::node& node, std::string_view expected) {
  return Fail(StatusCode::kInvalidArgument, "line {}: {}", node.source().begin.line, expected);
}

// A text that must be present and not empty.
Result<std::string> Text(const toml::table& table, std::string_view field) {
  const auto* node = table.get(field);
  const auto text = node != nullptr ? node->value<std::string>() : std::nullopt;
  if (!text || text->empty()) {
    return FailAt(node != nullptr ? *node : static_cast<const toml::node&>(table),
                  fmt::format("expected '{}' with a text that is not empty", field));
  }
  return *text;
}

template <typename T>
Result<std::vector<T>> List(const toml::table& table, std::string_view field) {
  const auto* node = table.get(field);
  const auto* array = node != nullptr ? node->as_array() : nullptr;
  if (array == nullptr || array->empty()) {
    return FailAt(node != nullptr ? *node : static_cast<const toml::node&>(table),
                  fmt::format("expected '{}' with a list that is not empty", field));
  }
  std::vector<T> values;
  for (const toml::node& element : *array) {
    const auto value = element.value_exact<std::conditional_t<std::is_integral_v<T>, int64_t, T>>();
    if (!value) return FailAt(element, fmt::format("wrong kind of value in '{}'", field));
    values.push_back(static_cast<T>(*value));
  }
  return values;
}

// A misspelt field would silently expect nothing.
Status OnlyFields(const toml::table& table, std::initializer_list<std::string_view> known) {
  for (const auto& [key, value] : table) {
    if (std::find(known.begin(), known.end(), std::string_view(key.str())) == known.end()) {
      return FailAt(value, fmt::format("unknown field '{}'; expected one of {}",
                                       std::string_view(key.str()), fmt::join(known, ", ")));
    }
  }
  return {};
}

Result<std::vector<const toml::table*>> Tables(const toml::table& table, std::string_view field) {
  std::vector<const toml::table*> tables;
  const toml::node* node = table.get(field);
  if (node == nullptr) return tables;
  const toml::array* array = node->as_array();
  if (array == nullptr) return FailAt(*node, fmt::format("expected [[{}]] tables", field));
  for (const toml::node& element : *array) {
    if (!element.is_table()) return FailAt(element, fmt::format("expected a table in '{}'", field));
    tables.push_back(element.as_table());
  }
  return tables;
}

Result<ExpectedFailure> ReadExpected(const toml::table& table) {
  WP_RETURN_IF_ERROR(
      OnlyFields(table, {"case", "guarantees", "upstream", "reason", "link", "sometimes"}));
  ExpectedFailure expected;
  WP_ASSIGN_OR_RETURN(expected.case_name, Text(table, "case"));
  WP_ASSIGN_OR_RETURN(expected.guarantees, List<std::string>(table, "guarantees"));
  // An advisory has no issue number, only a link.
  if (table.contains("upstream")) {
    WP_ASSIGN_OR_RETURN(expected.upstream, List<int>(table, "upstream"));
  }
  WP_ASSIGN_OR_RETURN(expected.reason, Text(table, "reason"));
  WP_ASSIGN_OR_RETURN(expected.link, Text(table, "link"));
  if (const toml::node* sometimes = table.get("sometimes")) {
    const auto value = sometimes->value_exact<bool>();
    if (!value) return FailAt(*sometimes, "expected 'sometimes' with true or false");
    expected.sometimes = *value;
  }
  return expected;
}

Result<DebianBinary> ReadDebian(const toml::table& table) {
  WP_RETURN_IF_ERROR(
      OnlyFields(table, {"suite", "package", "seen", "architecture", "path", "sha256"}));
  DebianBinary binary;
  WP_ASSIGN_OR_RETURN(binary.suite, Text(table, "suite"));
  WP_ASSIGN_OR_RETURN(binary.package, Text(table, "package"));
  WP_ASSIGN_OR_RETURN(binary.seen, Text(table, "seen"));
  WP_ASSIGN_OR_RETURN(binary.architecture, Text(table, "architecture"));
  WP_ASSIGN_OR_RETURN(binary.path, Text(table, "path"));
  WP_ASSIGN_OR_RETURN(binary.sha256, Text(table, "sha256"));
  const bool digits = binary.sha256.find_first_not_of("0123456789abcdef") == std::string::npos;
  if (binary.sha256.size() != 64 || !digits) {
    return FailAt(*table.get("sha256"), "expected 'sha256' with 64 lower-case hexadecimal digits");
  }
  return binary;
}

Result<OfficialArchive> ReadArchive(const toml::table& table) {
  WP_RETURN_IF_ERROR(OnlyFields(table, {"product", "url", "sums", "path"}));
  OfficialArchive archive;
  WP_ASSIGN_OR_RETURN(archive.url, Text(table, "url"));
  WP_ASSIGN_OR_RETURN(archive.sums, Text(table, "sums"));
  WP_ASSIGN_OR_RETURN(archive.path, Text(table, "path"));
  return archive;
}

// The part of a row that says where the release is from and what it lacks.
Status ReadOrigin(const toml::table& table, Release& release) {
  if (table.contains("missing")) {
    WP_ASSIGN_OR_RETURN(release.missing, List<std::string>(table, "missing"));
  }
  release.only_if_met = table["only_if_met"].value_or(false);
  if (!table.contains("debian")) return {};
  const toml::table* debian = table.get("debian")->as_table();
  if (debian == nullptr) return FailAt(*table.get("debian"), "expected a [release.debian] table");
  WP_ASSIGN_OR_RETURN(release.debian, ReadDebian(*debian));
  return {};
}

Result<Release> ReadRelease(const toml::table& table) {
  WP_RETURN_IF_ERROR(OnlyFields(
      table, {"product", "version", "source", "missing", "only_if_met", "debian", "expected"}));
  Release release;
  WP_ASSIGN_OR_RETURN(release.product, Text(table, "product"));
  WP_ASSIGN_OR_RETURN(release.version, Text(table, "version"));
  WP_ASSIGN_OR_RETURN(release.source, Text(table, "source"));
  WP_RETURN_IF_ERROR(ReadOrigin(table, release));
  WP_ASSIGN_OR_RETURN(const auto rows, Tables(table, "expected"));
  for (const toml::table* row : rows) {
    WP_ASSIGN_OR_RETURN(ExpectedFailure expected, ReadExpected(*row));
    const auto twin = [&](const ExpectedFailure& e) { return e.case_name == expected.case_name; };
    if (std::any_of(release.expected.begin(), release.expected.end(), twin)) {
      return FailAt(*row, fmt::format("{} is listed twice for {} {}", expected.case_name,
                                      release.product, release.version));
    }
    release.expected.push_back(std::move(expected));
  }
  return release;
}

bool Explains(const ExpectedFailure& expected, const AttemptResult& result) {
  const auto listed = [&](const FindingRecord& finding) {
    return std::find(expected.guarantees.begin(), expected.guarantees.end(), finding.guarantee) !=
           expected.guarantees.end();
  };
  return !result.findings.empty() &&
         std::all_of(result.findings.begin(), result.findings.end(), listed);
}

}  // namespace

Result<Expectations> Expectations::Parse(std::string_view text) {
  const toml::parse_result parsed = toml::parse(text);
  if (!parsed) {
    return Fail(StatusCode::kInvalidArgument, "line {}: {}", parsed.error().source().begin.line,
                parsed.error().description());
  }
  const toml::table& root = parsed.table();
  WP_RETURN_IF_ERROR(OnlyFields(root, {"archive", "release"}));
  WP_ASSIGN_OR_RETURN(const auto tables, Tables(root, "release"));
  Expectations expectations;
  WP_ASSIGN_OR_RETURN(const auto archives, Tables(root, "archive"));
  for (const toml::table* table : archives) {
    WP_ASSIGN_OR_RETURN(const std::string product, Text(*table, "product"));
    WP_ASSIGN_OR_RETURN(OfficialArchive archive, ReadArchive(*table));
    if (!expectations.archives_.emplace(product, std::move(archive)).second) {
      return FailAt(*table, fmt::format("the archive of {} is listed twice", product));
    }
  }
  for (const toml::table* table : tables) {
    WP_ASSIGN_OR_RETURN(Release release, ReadRelease(*table));
    if (expectations.FindRelease(release.product, release.version) != nullptr) {
      return FailAt(*table, fmt::format("{} {} is listed twice", release.product, release.version));
    }
    expectations.releases_.push_back(std::move(release));
  }
  return expectations;
}

const Expectations& Expectations::BuiltIn() {
  static const Expectations kBuiltIn = [] {
    Result<Expectations> parsed = Parse(ManifestText());
    WP_CHECK(parsed.has_value(), "the built-in manifest does not parse");
    return std::move(parsed).value();
  }();
  return kBuiltIn;
}

const Release* Expectations::FindRelease(std::string_view product, std::string_view version) const {
  for (const Release& release : releases_) {
    if (release.product == product && release.version == version) return &release;
  }
  return nullptr;
}

ReleaseSource Expectations::SourceOf(const Release& release) const {
  ReleaseSource source{
      .product = release.product, .version = release.version, .debian = release.debian};
  const auto archive = archives_.find(release.product);
  if (archive != archives_.end()) source.official = archive->second;
  return source;
}

ExpectationStatus Expectations::Apply(const TargetSpec& target, AttemptResult& result) const {
  result.known = false;
  if (result.declared) return ExpectationStatus::kAsExpected;
  if (result.verdict != Verdict::kPass && result.verdict != Verdict::kFail) {
    return ExpectationStatus::kAsExpected;
  }
  const bool passed = result.verdict == Verdict::kPass;
  // A running server has the release that it reports, but was set up by others: what the manifest
  // expects of the release may fail there, and need not.
  const bool running = target.server.has_value();
  const Release* release = FindRelease(target.product, result.target_version);
  const ExpectedFailure* expected = nullptr;
  if (release != nullptr) {
    for (const ExpectedFailure& row : release->expected) {
      if (row.case_name == result.case_name) expected = &row;
    }
  }
  if (expected == nullptr)
    return passed ? ExpectationStatus::kAsExpected : ExpectationStatus::kNewFailure;
  if (passed && (expected->sometimes || running)) return ExpectationStatus::kAsExpected;
  if (passed) {
    result.upstream = expected->upstream;
    result.reason = "passes, but the manifest expects it to fail: " + expected->reason;
    return ExpectationStatus::kUnexpectedPass;
  }
  if (!Explains(*expected, result)) return ExpectationStatus::kNewFailure;
  result.known = true;
  result.upstream = expected->upstream;
  result.reason = expected->reason;
  return ExpectationStatus::kKnownFailure;
}

}  // namespace watchproof
