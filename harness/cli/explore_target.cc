// SPDX-License-Identifier: Apache-2.0
// `explore --target`: many scripts side by side on a real server, server after server.
#include <algorithm>
#include <ctime>
#include <set>

#include "harness/bugs/answer_key.h"
#include "harness/cli/explore_options.h"
#include "harness/cli/explore_output.h"
#include "harness/cli/explore_report.h"
#include "harness/decide/found_script.h"
#include "harness/explore/crash_points.h"
#include "harness/explore/exhaustive.h"
#include "harness/explore/live/live_explorer.h"
#include "harness/history/json_fields.h"
#include "harness/report/text.h"
#include "harness/results/attempt_spec.h"
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
constexpr std::size_t kLinesShown = 5;

double Seconds(Duration time) { return std::chrono::duration<double>(time).count(); }

class TargetExploration {
 public:
  TargetExploration(const ExploreOptions& options, RunFolder& folder, ExploreOutput& output)
      : options_(options), folder_(folder), output_(output), signals_(Signals::Install()) {}

  CommandEnd Explore() {
    WP_ASSIGN_OR_RETURN(const std::vector<Script> scripts, ReadScripts(options_.corpus));
    for (const Script& script : scripts) explorer_.corpus().Keep(script);
    const std::uint64_t most =
        options_.scripts ? static_cast<std::uint64_t>(*options_.scripts) : UINT64_MAX;
    const bool all = options_.scripts || options_.exhaustive;
    const Status ran = explorer_.Explore(all ? 24h : options_.budget, most, [this] {
      output_.Progress(fmt::format("{}, {}", Line(), KindsText(explorer_.buckets().size())));
      return !options_.fail_fast || News().empty();
    });
    output_.SetTarget(Label());
    WP_RETURN_IF_ERROR(SayWhatWasDone());
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
    const auto runs = explorer_.RunAlone({*options_.replay},
                                         [](const auto& findings) { return !findings.empty(); });
    output_.SetTarget(Label());
    if (!runs.has_value()) return {runs.error(), ExitCode::kTarget};
    for (const Finding& one : runs->front().findings) {
      const Bucket bucket{.shape = explore::ShapeOf(one),
                          .examples = {{.script = *options_.replay, .broken = one}},
                          .times = 1};
      FoundFinding found = FoundIn(bucket, one, *options_.replay, Carrier());
      WP_RETURN_IF_ERROR(Keep(one, *options_.replay, runs->front().recording, found));
      output_.New(std::move(found));
    }
    return output_.reported() > 0 ? ExitCode::kFailed : ExitCode::kOk;
  }

 private:
  bool Interrupted() const { return signals_.count() > 0; }
  const char* ServerWord() const { return options_.target->members == 1 ? "server" : "cluster"; }
  std::string Label() { return options_.target->Label(explorer_.version()); }

  std::string Line() const {
    const LiveExplorer::Counts& counts = explorer_.counts();
    const int members = options_.target->members;
    return fmt::format("{} on {}{} in {:.0f} s", Count(counts.scripts, "script"),
                       Count(counts.servers, ServerWord()),
                       members == 1 ? "" : fmt::format(" of {}", members),
                       Seconds(Clock::now() - began_));
  }

  // With --verbose in more numbers.
  Status SayWhatWasDone() {
    const LiveExplorer::Counts& counts = explorer_.counts();
    output_.Done(fmt::format("{}: {}\n", Label(), Line()));
    output_.Detail(fmt::format("{} steps, {} calls judged, {}\n", counts.steps, counts.calls,
                               FoundText(explorer_.corpus(), explorer_.buckets().size())));
    if (options_.crash_points) {
      output_.Done(PointsMet());
    } else if (options_.target->members > 1) {
      output_.Done(EventsText());
    } else {
      WP_ASSIGN_OR_RETURN(const std::string coverage, KeepCorpus(options_, explorer_.corpus()));
      output_.Detail(coverage);
    }
    return {};
  }

  // What took effect.
  std::string EventsText() const {
    std::string text;
    for (const auto& [event, times] : explorer_.counts().events) {
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", event, times);
    }
    return fmt::format("events     {}\n", text.empty() ? "none" : text);
  }

  BugCarrier Carrier() {
    return {.product = options_.target->product,
            .version = explorer_.version(),
            .members = options_.target->members,
            .topology = options_.target->topology};
  }

  // The gravest first, as they are to be reported.
  std::vector<const Bucket*> News() {
    std::vector<const Bucket*> news;
    for (const Bucket& bucket : explorer_.buckets()) {
      if (bucket.known.empty()) news.push_back(&bucket);
    }
    std::ranges::stable_sort(news, [this](const Bucket* one, const Bucket* other) {
      return IsGraver(FoundAs(*one), FoundAs(*other));
    });
    return news;
  }

  // As an example shows it.
  FoundFinding FoundAs(const Bucket& bucket) {
    return FoundIn(bucket, bucket.broken(), bucket.examples.front().script, Carrier());
  }

  // A line for each shape, for other programs: `check` judges its recording again.
  Status WriteBuckets() {
    for (const Bucket& bucket : explorer_.buckets()) {
      const Finding& finding = bucket.broken();
      const Json line = {{"guarantee", Name(finding.guarantee)},
                         {"watch", finding.watch},
                         {"expected", finding.expected},
                         {"observed", finding.observed},
                         {"signature", finding.signature},
                         {"known", bucket.known},
                         {"times", bucket.times},
                         {"first_script", bucket.first},
                         {"recording", bucket.examples.front().recording}};
      WP_RETURN_IF_ERROR(folder_.AppendLine("findings.jsonl", DumpJson(line)));
    }
    return {};
  }

  CommandEnd Conclude() {
    std::vector<const Bucket*> news = News();
    if (options_.fail_fast && news.size() > 1) news.resize(1);
    while (!news.empty() && !Interrupted()) {
      const Bucket* const bucket = news.front();
      news.erase(news.begin());
      WP_RETURN_IF_ERROR(ReportNew(*bucket, news));
    }
    WP_RETURN_IF_ERROR(ReportKnown());
    SayWhatWasNotJudged();
    if (const auto code = signals_.exit_code()) return *code;
    if (failed_) return ExitCode::kFailed;
    const LiveExplorer::Counts& counts = explorer_.counts();
    return counts.undecided < counts.servers ? ExitCode::kOk : ExitCode::kInconclusive;
  }

  void SayWhatWasNotJudged() {
    const LiveExplorer::Counts& counts = explorer_.counts();
    if (counts.undecided > 0) {
      output_.NotJudged(fmt::format("{} of {} were not judged in full", counts.undecided,
                                    Count(counts.servers, ServerWord())),
                        explorer_.undecided());
    }
    if (counts.late > 0) {
      output_.NotJudged(
          fmt::format("{} did not start in time, and {} left out", Count(counts.late, "server"),
                      counts.late == 1 ? "was" : "were"),
          {});
    }
    if (!trouble_.ok()) {
      output_.NotJudged("no script could be run alone any more", {{trouble_.message(), 1}});
    }
  }

  // Each bug once; with --known with a script of its own.
  Status ReportKnown() {
    std::set<std::string> seen;
    for (const Bucket& bucket : explorer_.buckets()) {
      if (bucket.known.empty()) continue;
      const bool first = seen.insert(bucket.known).second;
      FoundFinding found = FoundAs(bucket);
      if (first && options_.known && !Interrupted()) {
        std::vector<const Bucket*> left;
        WP_ASSIGN_OR_RETURN(found, CutOut(bucket, left));
      }
      found.times = first ? explorer_.scripts_by_bug().at(bucket.known) : 0;
      output_.Known(std::move(found));
    }
    return {};
  }

  Status ReportNew(const Bucket& bucket, std::vector<const Bucket*>& left) {
    output_.Progress(fmt::format("a finding against {}: its script alone, and smaller",
                                 Name(bucket.broken().guarantee)));
    WP_ASSIGN_OR_RETURN(FoundFinding found, CutOut(bucket, left));
    // Something did not come, and does come when the script is alone: it may only have been late.
    const bool counts = bucket.proven() || (found.alone && found.alone->hits >= kShownToCount);
    failed_ = failed_ || counts;
    if (counts && found.alone) {
      output_.New(std::move(found));
    } else {
      output_.NotAlone(std::move(found));
    }
    return {};
  }

  // With its smallest script, kept. What that shows, too, is taken from `left`.
  Result<FoundFinding> CutOut(const Bucket& bucket, std::vector<const Bucket*>& left) {
    std::optional<Script> smallest;
    if (trouble_.ok()) {
      auto shrunk = explorer_.Shrink(bucket);
      if (shrunk.has_value()) {
        smallest = std::move(shrunk).value();
      } else {
        trouble_ = shrunk.error();
      }
    }
    Repeats repeats{.alone = bucket.broken()};
    if (smallest) repeats = Repeat(bucket, *smallest);
    std::vector<const Bucket*> after = AlsoShown(repeats.all, bucket.shape, left);
    for (const Bucket* one : after) std::erase(left, one);
    for (const Bucket* one : explorer_.After(bucket)) after.push_back(one);
    const bool untried = !smallest && !trouble_.ok();
    const Script& script = smallest ? *smallest : bucket.examples.front().script;
    FoundFinding found = FoundIn(bucket, repeats.alone, script, Carrier());
    found.also = GuaranteesOf(after, found.finding.guarantee);
    found.killed = repeats.crashes;
    if (smallest || untried) {
      found.alone = repeats.counted;
      WP_RETURN_IF_ERROR(Keep(repeats.alone, script, repeats.recording, found));
    } else {
      found.alone.reset();
      found.recording = bucket.examples.front().recording;
      found.repeat = "watchproof check " + found.recording;
    }
    return found;
  }

  // How often the smallest script shows it, alone on fresh servers.
  struct Repeats {
    Proportion counted{};
    Finding alone;                       // the finding
    LiveExplorer::Findings all{};        // and everything else
    std::vector<std::string> crashes{};  // at which calls the server was killed
    fs::path recording{};                // of one that showed the finding; empty: none did
  };
  Repeats Repeat(const Bucket& bucket, const Script& smallest) {
    Repeats repeats{.alone = bucket.broken()};
    const auto again = explorer_.RunAlone(
        std::vector<Script>(kRepeats, smallest),
        [&](const auto& findings) { return explore::Shows(findings, bucket.shape); });
    if (!again.has_value()) {
      // The script has been seen to show it, or it would not have been made smaller.
      trouble_ = again.error();
      return repeats;
    }
    repeats.counted.trials = kRepeats;
    for (const auto& [findings, recording, crashes] : *again) {
      repeats.all.insert(repeats.all.end(), findings.begin(), findings.end());
      const auto one = std::ranges::find(findings, bucket.shape, explore::ShapeOf);
      if (one == findings.end()) continue;
      // The report is about the run that left a recording.
      if (++repeats.counted.hits == 1 || !recording.empty()) repeats.alone = *one;
      if (!recording.empty()) repeats.recording = recording;
      repeats.crashes = crashes;
    }
    return repeats;
  }

  // The script as a file, its recording, and what the authors of the store need.
  Status Keep(const Finding& broken, const Script& script, const fs::path& recording,
              FoundFinding& found) {
    const fs::path file = output_.NextFile(Name(broken.guarantee));
    WP_RETURN_IF_ERROR(WriteFound(file, script, broken, options_.target->text, options_.seed));
    found.script = file.string();
    found.repeat = JoinShell({"watchproof", "run", "--plan", file.string()});
    if (recording.empty()) return {};
    const fs::path report = fs::path(file).replace_extension(".md");
    found.report = report.string();
    found.recording = RecordingOf(report).string();
    return WriteReport(report, {.target = Label(),
                                .broken = broken,
                                .server = script.server,
                                .recording = recording,
                                .shown = *found.alone,
                                .crashes = found.killed,
                                .instead = InsteadOfProgram(found, file.filename().string()),
                                .steps = found.steps});
  }

  std::string InsteadOfProgram(const FoundFinding& found, const std::string& plan) const {
    const std::string run =
        fmt::format("`watchproof run --plan {}`, with the binary of the release as it is.", plan);
    if (!found.killed.empty()) return "No client can kill it there, but this does: " + run;
    if (options_.target->members == 1) return {};
    return fmt::format("This starts {} members and carries the script out: {}",
                       options_.target->members, run);
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
    return fmt::format(
        "{} crash points, {:.0f} a minute; of these, by script:\n{}by the call at which the server "
        "was killed:\n{}",
        crash_points_.points(), static_cast<double>(crash_points_.points()) / minutes,
        Lines(crash_points_.Scripts()), Lines(crash_points_.Met()));
  }
  // The first of them, or all with --verbose.
  std::string Lines(const std::vector<std::string>& lines) const {
    const std::size_t shown = options_.verbose ? lines.size() : std::min(lines.size(), kLinesShown);
    std::string text;
    for (std::size_t i = 0; i < shown; ++i) text += "  " + lines[i] + "\n";
    if (shown == lines.size()) return text;
    return text + fmt::format("  and {} more (--verbose)\n", lines.size() - shown);
  }

  const ExploreOptions& options_;
  RunFolder& folder_;
  ExploreOutput& output_;
  Signals& signals_;
  int servers_ = 0;
  bool failed_ = false;  // something new was proven
  Status trouble_;       // since when no script can be run alone
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
      .known_as =
          [this](const std::string& signature) {
            return IsKnownBug(signature, Carrier()) ? KnownBugText(signature, Carrier())
                                                    : std::string();
          },
      .covering = !options_.drawn_only,
  }};
  const TimePoint began_ = Clock::now();
};

}  // namespace

CommandEnd ExploreTarget(const ExploreOptions& options) {
  WP_ASSIGN_OR_RETURN(RunFolder folder, RunFolder::Create(options.run_dir, FormatSeed(options.seed),
                                                          std::time(nullptr)));
  ExploreOutput output(options);
  output.Begin(folder.shown());
  TargetExploration exploration(options, folder, output);
  return output.End(options.replay ? exploration.Replay() : exploration.Explore());
}

CommandEnd ExploreScripts(const ExploreOptions& options, RunFolder& folder, ExploreOutput& output) {
  return TargetExploration(options, folder, output).Explore();
}

}  // namespace watchproof
