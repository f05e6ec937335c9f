// SPDX-License-Identifier: Apache-2.0
// `explore --target`: many scripts side by side on a real server, server after server.
#include <algorithm>
#include <ctime>
#include <map>

#include "harness/base/escape.h"
#include "harness/bugs/answer_key.h"
#include "harness/cli/explore_options.h"
#include "harness/cli/explore_report.h"
#include "harness/explore/crash_points.h"
#include "harness/explore/exhaustive.h"
#include "harness/explore/live/live_explorer.h"
#include "harness/history/json_fields.h"
#include "harness/results/attempt_spec.h"
#include "harness/runs/console.h"
#include "harness/runs/run_folder.h"
#include "harness/runs/signals.h"

namespace watchproof {
namespace {

namespace fs = std::filesystem;
using explore::Bucket;
using explore::LiveExplorer;
using explore::Script;

constexpr int kRepeats = 10;
// How many of these are enough where the recording is no proof by itself.
constexpr int kShownToCount = 2;

class TargetExploration {
 public:
  TargetExploration(const ExploreOptions& options, RunFolder& folder)
      : options_(options), folder_(folder), signals_(Signals::Install()) {}

  // How many findings it has reported.
  int reported() const { return reported_; }

  CommandEnd Explore() {
    WP_ASSIGN_OR_RETURN(const std::vector<Script> scripts, ReadScripts(options_.corpus));
    for (const Script& script : scripts) explorer_.corpus().Keep(script);
    const std::uint64_t most =
        options_.scripts ? static_cast<std::uint64_t>(*options_.scripts) : UINT64_MAX;
    const bool all = options_.scripts || options_.exhaustive;
    SaySeed(options_, console_);
    const Status ran = explorer_.Explore(all ? 24h : options_.budget, most, [this] {
      for (const Bucket& bucket : explorer_.buckets()) {
        found_after_.emplace(bucket.shape, Clock::now() - began_);
      }
      console_.Progress(Line());
      return !options_.fail_fast || News().empty();
    });
    if (options_.crash_points) {
      console_.Result(PointsMet());
    } else if (options_.target->members > 1) {
      console_.Result(EventsText());
    } else {
      WP_ASSIGN_OR_RETURN(const std::string coverage, KeepCorpus(options_, explorer_.corpus()));
      console_.Result(coverage);
    }
    WP_RETURN_IF_ERROR(WriteBuckets());
    CommandEnd found = Conclude();
    if (ran.ok()) return found;
    // What was found is no less true.
    if (found.code == ExitCode::kOk || found.code == ExitCode::kInconclusive) {
      found.code = ExitCode::kTarget;
    }
    found.why = ran.message();
    return found;
  }

  CommandEnd Replay() {
    const auto runs = explorer_.RunAlone({*options_.replay}, [this](const auto& findings) {
      return !options_.keep.empty() && !findings.empty();
    });
    if (!runs.has_value()) return {runs.error(), ExitCode::kTarget};
    int number = 0;
    for (const Finding& one : runs->front().findings) {
      const Bucket bucket{.shape = explore::ShapeOf(one),
                          .examples = {{.script = *options_.replay, .broken = one}},
                          .times = 1};
      WP_ASSIGN_OR_RETURN(const std::string kept,
                          Keep(++number, one, *options_.replay, runs->front().recording));
      console_.Result(DescribeBucket(number, bucket, one, *options_.replay) +
                      ServerText(*options_.replay) + LooksLike(one, Carrier()) + kept);
    }
    console_.Result(fmt::format("{} on {}\n",
                                number == 1 ? "1 finding" : fmt::format("{} findings", number),
                                options_.target->Label(explorer_.version())));
    return number > 0 ? ExitCode::kFailed : ExitCode::kOk;
  }

 private:
  bool Interrupted() const { return signals_.count() > 0; }

  std::string Line() {
    const double seconds =
        std::max(1e-3, std::chrono::duration<double>(Clock::now() - began_).count());
    const LiveExplorer::Counts& counts = explorer_.counts();
    const auto scripts = static_cast<double>(counts.scripts);
    const std::string servers = options_.target->members == 1
                                    ? "servers"
                                    : fmt::format("clusters of {}", options_.target->members);
    return fmt::format("{} scripts on {} {} in {:.1f} s, {:.0f}/s of {:.0f} steps, {}",
                       counts.scripts, counts.servers, servers, seconds, scripts / seconds,
                       static_cast<double>(counts.steps) / std::max(1.0, scripts),
                       FoundText(explorer_.corpus(), explorer_.buckets().size()));
  }

  // What took effect.
  std::string EventsText() {
    std::string text;
    for (const auto& [event, times] : explorer_.counts().events) {
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", event, times);
    }
    const double seconds = std::chrono::duration<double>(Clock::now() - began_).count();
    const auto calls = explorer_.counts().calls;
    return fmt::format("events     {}\ncalls      {} judged, {:.0f}/s\n",
                       text.empty() ? "none" : text, calls, static_cast<double>(calls) / seconds);
  }

  BugCarrier Carrier() {
    return {.product = options_.target->product,
            .version = explorer_.version(),
            .members = options_.target->members,
            .topology = options_.target->topology};
  }
  bool IsKnown(const Bucket& bucket) { return IsKnownBug(bucket.broken().signature, Carrier()); }
  std::vector<const Bucket*> News() {
    std::vector<const Bucket*> news;
    for (const Bucket& bucket : explorer_.buckets()) {
      if (!IsKnown(bucket)) news.push_back(&bucket);
    }
    return news;
  }

  std::vector<const Bucket*> Known() {
    std::vector<const Bucket*> known;
    for (const Bucket& bucket : explorer_.buckets()) {
      if (IsKnown(bucket)) known.push_back(&bucket);
    }
    return known;
  }

  // A line for each shape, for other programs: `check` judges its recording again.
  Status WriteBuckets() {
    for (const Bucket& bucket : explorer_.buckets()) {
      const Finding& finding = bucket.broken();
      const Json line = {
          {"guarantee", Name(finding.guarantee)},
          {"watch", finding.watch},
          {"expected", finding.expected},
          {"observed", finding.observed},
          {"signature", finding.signature},
          {"known", IsKnown(bucket) ? KnownBugText(finding.signature, Carrier()) : ""},
          {"times", bucket.times},
          {"first_script", bucket.first},
          {"recording", bucket.examples.front().recording}};
      WP_RETURN_IF_ERROR(folder_.AppendLine("findings.jsonl", DumpJson(line)));
    }
    return {};
  }

  // A line for each bug, in whatever shapes it showed.
  void SayKnown() {
    struct Known {
      std::string text;
      std::uint64_t times = 0;
      Duration first{};
    };
    std::vector<Known> known;
    for (const Bucket& bucket : explorer_.buckets()) {
      if (!IsKnown(bucket)) continue;
      const std::string text = KnownBugText(bucket.broken().signature, Carrier());
      auto bug = std::ranges::find(known, text, &Known::text);
      if (bug == known.end()) {
        bug = known.insert(bug, {.text = text, .first = found_after_.at(bucket.shape)});
      }
      bug->times += bucket.times;
    }
    for (const Known& bug : known) {
      console_.Result(fmt::format("known      {}, {} {}, first after {:.0f} s\n", bug.text,
                                  bug.times, bug.times == 1 ? "finding" : "findings",
                                  std::chrono::duration<double>(bug.first).count()));
    }
  }

  CommandEnd Conclude() {
    console_.Result(fmt::format("{}: {}\n", options_.target->Label(explorer_.version()), Line()));
    std::vector<const Bucket*> news = News();
    if (options_.fail_fast && news.size() > 1) news.resize(1);
    SayKnown();
    int number = 0;
    const Status each = ReportEach(news, number);
    reported_ = number;
    WP_RETURN_IF_ERROR(each);
    int shown = number;
    if (options_.known) WP_RETURN_IF_ERROR(ReportEach(Known(), shown));
    const LiveExplorer::Counts& counts = explorer_.counts();
    if (counts.undecided > 0) {
      console_.Result(fmt::format("{} of {} servers were not judged in full\n", counts.undecided,
                                  counts.servers));
      ListReasons(explorer_.undecided(), console_);
    }
    if (counts.late > 0) {
      console_.Result(
          fmt::format("{} did not start in time, and {} left out\n",
                      counts.late == 1 ? "1 server" : fmt::format("{} servers", counts.late),
                      counts.late == 1 ? "was" : "were"));
    }
    if (const auto code = signals_.exit_code()) return *code;
    if (number > 0) return ExitCode::kFailed;
    return counts.undecided < counts.servers ? ExitCode::kOk : ExitCode::kInconclusive;
  }

  // The number is that of the last, and counts those that are proven.
  Status ReportEach(std::vector<const Bucket*> buckets, int& number) {
    while (!buckets.empty() && !Interrupted()) {
      const Bucket* const bucket = buckets.front();
      buckets.erase(buckets.begin());
      WP_ASSIGN_OR_RETURN(const bool counts, Report(*bucket, number + 1, buckets));
      number += counts ? 1 : 0;
    }
    return {};
  }

  // Whether it counts as a failure. What its smallest script shows, too, is taken from `left`.
  Result<bool> Report(const Bucket& bucket, int number, std::vector<const Bucket*>& left) {
    console_.Progress(
        fmt::format("bucket {} of {}: alone, and smaller", number, explorer_.buckets().size()));
    std::optional<Script> cut_out;
    if (trouble_.ok()) {
      auto shrunk = explorer_.Shrink(bucket);
      if (shrunk.has_value()) {
        cut_out = std::move(shrunk).value();
      } else {
        trouble_ = shrunk.error();
      }
    }
    const Repeats repeats = cut_out ? Repeat(bucket, *cut_out) : Repeats();
    if (!bucket.proven() && repeats.shown < kShownToCount) {
      console_.Result(NotProven(bucket));
      return false;
    }
    std::vector<const Bucket*> after = AlsoShown(repeats.all, bucket.shape, left);
    for (const Bucket* one : after) std::erase(left, one);
    for (const Bucket* one : explorer_.After(bucket)) after.push_back(one);
    const Script& smallest = cut_out ? *cut_out : bucket.examples.front().script;
    std::string text = DescribeBucket(number, bucket, bucket.broken(), smallest) +
                       ServerText(smallest) + DescribeAfter(after) +
                       LooksLike(bucket.broken(), Carrier());
    if (cut_out) {
      WP_ASSIGN_OR_RETURN(
          const std::string kept,
          Keep(number, repeats.alone, smallest, repeats.recording, repeats.often, repeats.crashes));
      text += repeats.text + kept;
    } else {
      text += fmt::format(
          "  repeats    {}\n"
          "  recording  {}\n",
          trouble_.ok() ? "not alone: it takes what other scripts did at the same time"
                        : "not tried: " + trouble_.message(),
          bucket.examples.front().recording);
    }
    console_.Result(text);
    return true;
  }

  // Something did not come, and does come when the script is alone: it may only have been late.
  std::string NotProven(const Bucket& bucket) {
    return fmt::format("not proven {}, {} {}: {}; {}, and it may only have been late: {}\n",
                       Name(bucket.broken().guarantee), bucket.times,
                       bucket.times == 1 ? "finding" : "findings",
                       Escaped(bucket.broken().expected),
                       trouble_.ok() ? "it did not show again when the script ran alone"
                                     : "the script could not be run alone",
                       bucket.examples.front().recording);
  }

  // How often the smallest script shows it, alone on fresh servers.
  struct Repeats {
    std::string text;
    int shown = 0;
    std::string often{};                 // "7 of 10 times"
    Finding alone;                       // the finding
    LiveExplorer::Findings all{};        // and everything else
    std::vector<std::string> crashes{};  // at which calls the server was killed
    fs::path recording{};                // of one that showed the finding; empty: none did
  };
  Repeats Repeat(const Bucket& bucket, const Script& smallest) {
    Repeats repeats{.alone = bucket.broken()};
    const auto shows = [&](const LiveExplorer::Findings& findings) {
      return !options_.keep.empty() && explore::Shows(findings, bucket.shape);
    };
    const auto again = explorer_.RunAlone(std::vector<Script>(kRepeats, smallest), shows);
    if (!again.has_value()) {
      trouble_ = again.error();
      // The script has been seen to show it, or it would not have been made smaller.
      repeats.text = fmt::format("  repeats    alone on a fresh server; not counted: {}\n",
                                 trouble_.message());
      return repeats;
    }
    for (const auto& [findings, recording, crashes] : *again) {
      repeats.all.insert(repeats.all.end(), findings.begin(), findings.end());
      const auto one = std::ranges::find(findings, bucket.shape, explore::ShapeOf);
      if (one == findings.end()) continue;
      // The report is about the run that left a recording.
      if (++repeats.shown == 1 || !recording.empty()) repeats.alone = *one;
      if (!recording.empty()) repeats.recording = recording;
      repeats.crashes = crashes;
    }
    repeats.often = fmt::format("{} of {} times", repeats.shown, kRepeats);
    repeats.text = fmt::format("  repeats    {}, alone on a fresh server\n", repeats.often);
    for (const std::string& crash : repeats.crashes) {
      repeats.text += fmt::format("  killed     {}\n", crash);
    }
    return repeats;
  }

  static std::string StepText(const Script& script) {
    std::string text;
    for (const explore::Step& step : script.steps) text += explore::Describe(step) + "\n";
    return text;
  }
  static std::string ServerText(const Script& script) {
    return fmt::format("  server     {}\n", explore::DescribeServer(script.server));
  }

  // The script as a file, its recording, and what the authors of the store need: where they are.
  Result<std::string> Keep(int number, const Finding& broken, const Script& script,
                           const fs::path& recording, const std::string& shown = {},
                           const std::vector<std::string>& crashes = {}) {
    if (options_.keep.empty()) return std::string();
    const fs::path file =
        options_.keep / fmt::format("{}-{}.jsonl", Name(broken.guarantee), number);
    const fs::path report = fs::path(file).replace_extension(".md");
    WP_RETURN_IF_ERROR(WriteFound(file, script, broken, options_.target->text, options_.seed));
    WP_RETURN_IF_ERROR(WriteReport(report, {.target = options_.target->Label(explorer_.version()),
                                            .members = options_.target->members,
                                            .broken = broken,
                                            .server = script.server,
                                            .recording = recording,
                                            .shown = shown,
                                            .crashes = crashes,
                                            .steps = StepText(script)}));
    return fmt::format(
        "  repeat     watchproof run --plan {}\n"
        "  to file    {}\n",
        file.string(), report.string());
  }

  std::function<std::optional<Script>()> Source() {
    if (options_.crash_points) return [this] { return crash_points_.Next(); };
    if (options_.exhaustive) return [this] { return enumeration_.Next(); };
    return {};
  }
  std::function<void(const Script&, const std::vector<std::string>&)> Crashed() {
    if (!options_.crash_points) return {};
    return [this](const Script& script, const std::vector<std::string>& crashes) {
      crash_points_.Ran(script, crashes);
    };
  }
  // For people.
  std::string PointsMet() const {
    const double minutes =
        std::chrono::duration<double, std::ratio<60>>(Clock::now() - began_).count();
    std::string text =
        fmt::format("{} crash points, {:.0f} a minute; of these, by script:\n",
                    crash_points_.points(), static_cast<double>(crash_points_.points()) / minutes);
    for (const std::string& line : crash_points_.Scripts()) text += "  " + line + "\n";
    text += "by the call at which the server was killed:\n";
    for (const std::string& line : crash_points_.Met()) text += "  " + line + "\n";
    return text;
  }

  const ExploreOptions& options_;
  Console console_{{}};
  RunFolder& folder_;
  Signals& signals_;
  int servers_ = 0;
  int reported_ = 0;
  Status trouble_;  // since when no script can be run alone
  explore::CrashPoints crash_points_{Prng(options_.seed).Fork("crash points")};
  explore::Enumeration enumeration_{options_.exhaustive.value_or(0)};
  LiveExplorer explorer_{{
      .target = *options_.target,
      .seed = options_.seed,
      .folder = [this]() -> Result<fs::path> {
        WP_ASSIGN_OR_RETURN(AttemptFolder made,
                            folder_.MakeAttempt(*options_.target, "explore", ++servers_));
        return made.absolute;
      },
      .finish =
          [this](const fs::path& folder, bool keep) {
            folder_.FinishAttempt(folder, keep ? KeepFiles::kAll : KeepFiles::kNone);
          },
      .interrupted = [this] { return Interrupted(); },
      .source = Source(),
      .crashed = Crashed(),
      .is_known = [this](const std::string& signature) { return IsKnownBug(signature, Carrier()); },
      .covering = !options_.drawn_only,
  }};
  const TimePoint began_ = Clock::now();
  std::map<std::string, Duration> found_after_;  // by the shape of a bucket
};

}  // namespace

CommandEnd ExploreTarget(const ExploreOptions& options) {
  WP_ASSIGN_OR_RETURN(RunFolder folder, RunFolder::Create(options.run_dir, FormatSeed(options.seed),
                                                          std::time(nullptr)));
  TargetExploration exploration(options, folder);
  return options.replay ? exploration.Replay() : exploration.Explore();
}

CommandEnd ExploreScripts(const ExploreOptions& options, RunFolder& folder, int& reported) {
  TargetExploration exploration(options, folder);
  CommandEnd end = exploration.Explore();
  reported = exploration.reported();
  return end;
}

}  // namespace watchproof
