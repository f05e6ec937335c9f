// SPDX-License-Identifier: Apache-2.0
#include "harness/decide/bisect.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "harness/report/rows.h"
#include "harness/report/text.h"
#include "harness/runs/selection.h"
#include "harness/statistics/bisection.h"
#include "harness/statistics/times.h"

namespace watchproof {
namespace {

// At each end, to know how often the bug shows where it is.
constexpr int kFirstLook = 3;
constexpr int kSecondLook = 7;
constexpr int kWithoutLuck = 8;
constexpr int kWithLuck = 30;
// A build that is not decided after so many attempts is skipped.
constexpr int kMostAttempts = 400;
constexpr int kMostInVain = 8;
// A figure that is less than so many times as bad is none to search by.
constexpr double kLeastTimes = 1.1;
// Once a case has one that is so many times as bad, no other case is tried.
constexpr double kEnoughTimes = 1.5;

class Search {
 public:
  Search(Attempts& attempts, const BisectOptions& options)
      : attempts_(attempts), options_(options), bug_(options.bug), search_(options.names.size()) {
    found_.steps.resize(options_.names.size());
    for (std::size_t i = 0; i < options_.names.size(); ++i) {
      found_.steps[i].name = options_.names[i];
    }
  }

  Result<FoundStep> Find() {
    if (!bug_.measures.empty()) WP_RETURN_IF_ERROR(ChooseFigure());
    WP_RETURN_IF_ERROR(MeasureEnds());
    while (!attempts_.Stopped()) {
      const auto next = search_.Next();
      if (!next) break;
      search_.Set(*next, Judge(*next));
      Say(*next);
    }
    found_.last_good = search_.last_good();
    found_.first_bad = search_.first_bad();
    if (bug_.figure) found_.by = bug_.FigureText();
    found_.run = attempts_.record().folder;
    found_.seed = attempts_.record().seed;
    return found_;
  }

 private:
  const TargetSpec& TargetOf(std::size_t build) const {
    const bool one = options_.targets.size() == 1;
    return FirstWith(attempts_.targets(), options_.targets[one ? 0 : build], &TargetSpec::text);
  }

  // More attempts of a case; which of them showed the bug. Those that prove nothing are left out.
  std::vector<bool> Try(std::size_t build, const std::string& case_name, int attempts) {
    std::vector<bool> shown;
    BuildStep& step = found_.steps[build];
    const RunRecord& record = attempts_.record();
    const std::size_t first = attempts_.RunMore({{case_name, &TargetOf(build), attempts}});
    for (std::size_t i = first; i < record.attempts.size(); ++i) {
      const AttemptSummary& one = record.attempts[i];
      step.version = one.result.target_version.empty() ? step.version : one.result.target_version;
      if (!bug_.IsDecidedBy(one.result)) {
        step.reason = fmt::format("{}: {}", Name(one.result.verdict), one.result.reason);
        continue;
      }
      const bool shows = bug_.IsShownBy(one.result);
      if (shows && step.repeat.empty()) step.repeat = RowOf(record, one).repeat;
      shown.push_back(shows);
    }
    return shown;
  }
  static int Shown(const std::vector<bool>& shown) {
    return static_cast<int>(std::ranges::count(shown, true));
  }

  // How often the case shows it on the build, with so many attempts.
  void Measure(std::size_t build, int attempts) {
    BuildStep& step = found_.steps[build];
    while (step.counted.trials < attempts && !attempts_.Stopped()) {
      const std::vector<bool> shown = Try(build, found_.case_name, attempts - step.counted.trials);
      if (shown.empty()) return;
      step.counted.hits += Shown(shown);
      step.counted.trials += static_cast<int>(shown.size());
    }
  }

  // The case that shows it most often on the bad build, then how often, then that the good one is
  // different.
  Status MeasureEnds() {
    const std::size_t bad = options_.names.size() - 1;
    for (const std::size_t end : {bad, std::size_t{0}}) {
      if (Status made = Make(end); !made.ok()) return made;
      if (end == bad) WP_RETURN_IF_ERROR(ChooseCase(bad));
      Measure(end, kWithoutLuck);
      Proportion& counted = found_.steps[end].counted;
      const Proportion& shown = found_.steps[bad].counted;
      const bool luck = shown.hits < shown.trials || (end != bad && counted.hits > 0);
      if (luck) Measure(end, kWithLuck);
      if (counted.trials == 0) {
        return Fail(StatusCode::kUnavailable, "{}: no attempt is conclusive: {}",
                    options_.names[end], found_.steps[end].reason);
      }
      found_.steps[end].state = end == bad ? BuildState::kBad : BuildState::kGood;
      Say(end);
    }
    const Interval on_bad = ClopperPearson(found_.steps[bad].counted);
    const Interval on_good = ClopperPearson(found_.steps[0].counted);
    if (on_bad.Overlaps(on_good) || on_good.low > on_bad.high) {
      return Fail(StatusCode::kUnavailable,
                  "{} and {} cannot be distinguished: it shows in {} and {} of the attempts",
                  options_.names[0], options_.names[bad], Percent(on_good), Percent(on_bad));
    }
    present_ = on_bad.low;
    if (found_.steps[0].counted.hits > 0) absent_ = on_good.high;
    return {};
  }

  // By figure, of so many attempts of a case.
  using Values = std::map<FigureAt, std::vector<double>>;
  Values ValuesOf(std::size_t build, const std::string& case_name) {
    Values values;
    const RunRecord& record = attempts_.record();
    const std::size_t first = attempts_.RunMore({{case_name, &TargetOf(build), kFirstLook}});
    for (std::size_t i = first; i < record.attempts.size(); ++i) {
      const AttemptResult& result = record.attempts[i].result;
      for (const auto& [at, value] : FiguresOf(result, bug_.measures)) {
        values[at].push_back(value);
      }
    }
    return values;
  }

  // The one by which the ends differ most, of those with each of the bad end's worse than all of
  // the good one's. From half-way between the medians on, by ratio, it is that of the bad end.
  Status ChooseFigure() {
    const std::size_t bad = options_.names.size() - 1;
    double most = kLeastTimes;
    for (const std::string& name : std::vector<std::string>(bug_.cases)) {
      if (attempts_.Stopped() || most >= kEnoughTimes) break;
      if (Status made = Make(0); !made.ok()) return made;
      const Values good = ValuesOf(0, name);
      if (Status made = Make(bad); !made.ok()) return made;
      for (const auto& [at, values] : ValuesOf(bad, name)) {
        const auto others = good.find(at);
        if (others == good.end() || !Apart(at.figure, others->second, values)) continue;
        const double of_good = MedianOf(others->second);
        const double of_bad = MedianOf(values);
        const double times = TimesWorse(at.figure, of_bad, of_good);
        if (times <= most) continue;
        most = times;
        bug_.figure = at;
        const double nothing = About(at.figure).nothing;
        bug_.limit = std::sqrt(std::max(of_good, nothing) * std::max(of_bad, nothing));
        bug_.cases = {at.case_name};
      }
    }
    if (bug_.figure || attempts_.Stopped()) return {};
    return Fail(StatusCode::kUnavailable,
                "{} and {} cannot be distinguished: no figure of {} is worse", options_.names[0],
                options_.names[bad], Count(bug_.cases.size(), "case"));
  }
  static bool Apart(Figure figure, const std::vector<double>& good,
                    const std::vector<double>& bad) {
    return std::ranges::all_of(bad, [&](double one) {
      return std::ranges::all_of(good,
                                 [&](double other) { return TimesWorse(figure, one, other) > 1; });
    });
  }

  Status ChooseCase(std::size_t bad) {
    int most = 0;
    for (const int attempts : {kFirstLook, kSecondLook}) {
      for (const std::string& name : bug_.cases) {
        if (attempts_.Stopped()) return {};
        const int shown = Shown(Try(bad, name, attempts));
        if (shown <= most) continue;
        most = shown;
        found_.case_name = name;
        if (shown == attempts) return {};
      }
      if (most > 0) return {};
    }
    return Fail(StatusCode::kUnavailable,
                "{}: it does not show in {} attempts of each of {}; expected a bad build{}",
                options_.names[bad], kFirstLook + kSecondLook,
                Count(attempts_.cases().size(), "case"),
                found_.steps[bad].reason.empty() ? "" : " (" + found_.steps[bad].reason + ")");
  }

  BuildState Judge(std::size_t build) {
    BuildStep& step = found_.steps[build];
    step.state = BuildState::kSkipped;
    if (const Status made = Make(build); !made.ok()) {
      step.reason = made.message();
      return step.state;
    }
    ShowTest test{.absent = absent_, .present = present_};
    int in_vain = 0;
    while (test.state() == ShowState::kOpen && test.tried < kMostAttempts &&
           in_vain < kMostInVain && !attempts_.Stopped()) {
      const int attempts = std::max(2, attempts_.jobs());
      const std::vector<bool> shown = Try(build, found_.case_name, attempts);
      for (const bool one : shown) test.Add(one);
      if (shown.empty()) in_vain += attempts;
    }
    step.counted = {.hits = test.shown, .trials = test.tried};
    if (test.state() == ShowState::kShows) step.state = BuildState::kBad;
    if (test.state() == ShowState::kShowsNot) step.state = BuildState::kGood;
    return step.state;
  }

  Status Make(std::size_t build) const { return options_.make ? options_.make(build) : Status(); }
  void Say(std::size_t build) const {
    if (options_.report) options_.report(found_.steps[build]);
  }

  Attempts& attempts_;
  const BisectOptions& options_;
  ShownBug bug_;
  Bisection search_;
  FoundStep found_;
  double absent_ = 0.01;
  double present_ = 1;
};

}  // namespace

Result<FoundStep> Bisect(Attempts& attempts, const BisectOptions& options) {
  return Search(attempts, options).Find();
}

}  // namespace watchproof
