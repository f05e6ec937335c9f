// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/catalog_commands.h"

#include <algorithm>
#include <cstdio>

#include "harness/base/escape.h"
#include "harness/cli/catalog.h"
#include "harness/cli/console.h"
#include "harness/cli/parse.h"
#include "harness/report/run_json.h"

namespace watchproof {
namespace {

void PrintJson(const CatalogEntry& entry) {
  const TextFields fields = {
      {"kind", entry.kind}, {"name", entry.name}, {"explain", entry.explain}};
  fmt::print("{}\n", ToJsonObject(fields, entry.facts));
}

// The first sentence of the explanation is the summary.
std::string Summary(const CatalogEntry& entry) {
  if (!entry.summary.empty()) return entry.summary;
  return entry.explain.substr(0, entry.explain.find(". "));
}

void PrintKind(const std::string& kind, const std::vector<CatalogEntry>& catalog,
               const TerminalStyle& style) {
  std::size_t width = 0;
  for (const CatalogEntry& entry : catalog) {
    if (entry.kind == kind) width = std::max(width, Columns(entry.name));
  }
  fmt::print("{}s\n", kind);
  for (const CatalogEntry& entry : catalog) {
    if (entry.kind != kind) continue;
    const std::string line =
        fmt::format("  {}  {}", PadRight(entry.name, width), CleanText(Summary(entry)));
    fmt::print("{}\n", style.cut ? ShortenEnd(line, style.width, style.charset) : line);
  }
}

void PrintEntry(const CatalogEntry& entry, const TerminalStyle& style) {
  fmt::print("{} ({})\n", entry.name, entry.kind);
  for (const std::string& line : Wrap(CleanText(entry.explain), style.width - 2)) {
    fmt::print("  {}\n", line);
  }
  for (const auto& [name, value] : entry.facts) {
    if (value.empty()) continue;
    std::string label = name;
    for (const std::string& line : Wrap(CleanText(value), style.width - 16)) {
      fmt::print("    {}{}\n", PadRight(std::exchange(label, ""), 12), line);
    }
  }
}

}  // namespace

ExitCode ListCommand(const std::string& kind, AsJson json) {
  std::vector<std::string> plurals;
  for (const std::string& known : ListedKinds()) plurals.push_back(known + "s");
  if (!kind.empty() && std::find(plurals.begin(), plurals.end(), kind) == plurals.end()) {
    fmt::print(stderr, "watchproof list: '{}' is none of {}{}\n", Escaped(kind),
               fmt::join(plurals, ", "), DidYouMean(kind, plurals));
    return ExitCode::kUsage;
  }
  const std::vector<CatalogEntry> catalog = Catalog();
  const TerminalStyle style = DetectStyle(When::kNever);
  for (const std::string& known : ListedKinds()) {
    if (!kind.empty() && kind != known + "s") continue;
    if (json == AsJson::kNo) {
      PrintKind(known, catalog, style);
      continue;
    }
    for (const CatalogEntry& entry : catalog) {
      if (entry.kind == known) PrintJson(entry);
    }
  }
  return ExitCode::kOk;
}

ExitCode ExplainCommand(const std::string& name, AsJson json) {
  const TerminalStyle style = DetectStyle(When::kNever);
  bool found = false;
  std::vector<std::string> names;
  for (const CatalogEntry& entry : Catalog()) {
    names.push_back(entry.name);
    // A number is an issue of etcd, with or without '#'.
    if (entry.name != name && entry.name != "#" + name) continue;
    if (json == AsJson::kYes) {
      PrintJson(entry);
    } else {
      if (found) fmt::print("\n");
      PrintEntry(entry, style);
    }
    found = true;
  }
  if (found) return ExitCode::kOk;
  fmt::print(stderr, "watchproof explain: nothing is called '{}'{}\n", Escaped(name),
             DidYouMean(name, names));
  return ExitCode::kUsage;
}

}  // namespace watchproof
