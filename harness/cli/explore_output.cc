// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/explore_output.h"

#include <algorithm>
#include <set>
#include <sstream>

#include "harness/base/escape.h"
#include "harness/decide/found_script.h"
#include "harness/history/json_fields.h"
#include "harness/report/text.h"
#include "harness/results/attempt_spec.h"

namespace watchproof {
namespace {

// The others take two lines each.
constexpr int kShownInFull = 3;
constexpr int kSchemaOfExplore = 1;

std::vector<std::string> LinesOf(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// As `explain` takes it: "20693" of "etcd #20693 or etcd #19179: ...".
std::string WordFor(const std::string& known) {
  const std::string name = NameOfBug(known);
  const std::string issue = "etcd #";
  if (!name.starts_with(issue)) return name;
  return name.substr(issue.size(), name.find(' ', issue.size()) - issue.size());
}

}  // namespace

ExploreOutput::ExploreOutput(const ExploreOptions& options) : options_(options) {
  if (options.target) target_ = options.target->text;
}

void ExploreOutput::Begin(const std::string& folder) {
  folder_ = folder;
  if (!options_.json) return console_.Result(fmt::format("seed {}\n", FormatSeed(options_.seed)));
  console_.Result(DumpJson(Json{{"kind", "start"},
                                {"schema", kSchemaOfExplore},
                                {"target", target_},
                                {"seed", FormatSeed(options_.seed)},
                                {"folder", folder_}}) +
                  "\n");
}

std::filesystem::path ExploreOutput::NextFile(std::string_view guarantee) {
  const std::filesystem::path folder =
      options_.keep.empty() ? std::filesystem::path(folder_) / "found" : options_.keep;
  return folder / fmt::format("{}-{}.jsonl", guarantee, ++files_);
}

void ExploreOutput::Done(const std::string& text) {
  if (!options_.json) return console_.Result(text);
  for (const std::string& line : LinesOf(text)) done_.push_back(line);
}

void ExploreOutput::Detail(const std::string& text) {
  if (options_.verbose) Done(text);
}

void ExploreOutput::New(FoundFinding found) {
  found.number = ++number_;
  if (options_.json) return console_.Result(ToJson(found) + "\n");
  const bool in_full = options_.verbose || number_ <= kShownInFull;
  console_.Result(in_full ? ToText(found, columns()) : InShort(found, columns()));
}

void ExploreOutput::Known(FoundFinding found) {
  const auto same = std::ranges::find(known_, found.known, &FoundFinding::known);
  if (same == known_.end()) {
    known_.push_back(std::move(found));
    return;
  }
  const std::uint64_t times = same->times + found.times;
  if (IsGraver(found, *same)) *same = std::move(found);
  same->times = times;
}

void ExploreOutput::NotAlone(FoundFinding found) { not_alone_.push_back(std::move(found)); }

void ExploreOutput::NotJudged(const std::string& what,
                              const std::map<std::string, std::uint64_t>& reasons) {
  if (options_.json) {
    not_judged_.push_back(what);
    for (const auto& [reason, times] : reasons) {
      not_judged_.push_back(fmt::format("{}: {}", Count(times, "time"), reason));
    }
    return;
  }
  std::vector<std::pair<std::uint64_t, std::string>> often;
  for (const auto& [reason, times] : reasons) often.emplace_back(times, reason);
  std::ranges::sort(often, std::greater());
  if (!options_.verbose && often.size() > 1) often.resize(1);
  std::string text = what + "\n";
  for (const auto& [times, reason] : often) {
    text +=
        Hanging("  ", fmt::format("{}: {}", Count(times, "time"), Escaped(reason)), columns() - 2);
  }
  console_.Result(text);
}

void ExploreOutput::SayKnown() {
  if (known_.empty()) return;
  std::ranges::stable_sort(known_, IsGraver);
  if (options_.json) {
    for (const FoundFinding& one : known_) console_.Result(ToJson(one) + "\n");
    return;
  }
  std::ranges::stable_sort(known_, {}, CostOf);
  console_.Result(fmt::format(
      "\nKnown bugs of {}, the costliest first (`watchproof explain {}` says more):\n{}", target_,
      WordFor(known_.front().known), KnownTable(known_, columns())));
}

// One line for all; each is in a file.
void ExploreOutput::SayNotAlone() {
  if (not_alone_.empty()) return;
  std::ranges::stable_sort(not_alone_, IsGraver);
  if (options_.json) {
    for (const FoundFinding& one : not_alone_) console_.Result(ToJson(one) + "\n");
    return;
  }
  std::set<std::string> guarantees;
  std::string text;
  for (std::size_t i = 0; i < not_alone_.size(); ++i) {
    guarantees.insert(not_alone_[i].finding.guarantee);
    not_alone_[i].number = static_cast<int>(i) + 1;
    text += ToText(not_alone_[i], columns());
  }
  const std::filesystem::path file = std::filesystem::path(folder_) / "not-alone.txt";
  const Status written = WriteText(file, text);
  console_.Result(fmt::format("\n{} that no script showed alone ({}): {}\n",
                              Count(not_alone_.size(), "kind"), fmt::join(guarantees, ", "),
                              written.ok() ? file.string() : written.message()));
}

std::string ExploreOutput::Sum() const {
  std::string text =
      number_ == 0 ? "Nothing new" : Count(static_cast<std::size_t>(number_), "new finding");
  if (!known_.empty()) text += ", " + Count(known_.size(), "known bug");
  text += fmt::format("; {}, seed {}", target_, FormatSeed(options_.seed));
  return folder_.empty() ? text : text + ", " + folder_;
}

void ExploreOutput::SayEnd(const CommandEnd& end) {
  const bool nothing = number_ == 0 && known_.empty() && not_alone_.empty();
  if (!options_.json) return console_.Result((nothing ? "" : "\n") + Sum() + "\n");
  console_.Result(DumpJson(Json{{"kind", "end"},
                                {"sentence", Sum()},
                                {"target", target_},
                                {"seed", FormatSeed(options_.seed)},
                                {"folder", folder_},
                                {"done", done_},
                                {"not_judged", not_judged_},
                                {"new", number_},
                                {"known", known_.size()},
                                {"not_alone", not_alone_.size()},
                                {"exit_code", static_cast<int>(end.code)},
                                {"why", end.why}}) +
                  "\n");
}

CommandEnd ExploreOutput::End(CommandEnd end) {
  SayKnown();
  SayNotAlone();
  SayEnd(end);
  return end;
}

}  // namespace watchproof
