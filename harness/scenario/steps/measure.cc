// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/steps/measure.h"

#include <cmath>
#include <cstdlib>
#include <limits>

#include "harness/scenario/step_context.h"
#include "harness/session/machine_use.h"

namespace watchproof {
namespace {

const StepRegistration<MeasureLoadStep, MeasureServiceStep, MeasureRestStep> kMeasureSteps;

constexpr std::size_t kMostPuts = 1'000'000;  // of a client
constexpr std::size_t kMeasuredBytes = 100;
constexpr Duration kAnswerLimit = 20s;
constexpr Duration kServedWithin = 20s;
constexpr Duration kServiceAsked = 100ms;
// Until clients are connected and the target has woken.
constexpr Duration kWarmUp = 200ms;
constexpr double kMega = 1e6;
constexpr double kKilo = 1e3;

struct Window {
  TimePoint from;
  TimePoint until;
};

// One client's, touched by nothing but its thread until the load has stopped: when each that was
// answered began and ended.
using Puts = std::vector<Window>;

struct Answered {
  std::size_t puts = 0;
  Duration longest{};
};

Answered AnsweredIn(const std::vector<Puts>& clients, const Window& window) {
  Answered all;
  for (const Puts& puts : clients) {
    for (const auto& [began, ended] : puts) {
      if (began < window.from || began >= window.until) continue;
      all.puts += ended <= window.until ? 1 : 0;
      all.longest = std::max(all.longest, ended - began);
    }
  }
  return all;
}

Result<Revision> PutOnce(KvClient& kv, const std::string& key, Puts& puts) {
  const TimePoint began = Clock::now();
  Result<Revision> put = kv.Put(key, std::string(kMeasuredBytes, 'm'));
  if (put.has_value()) puts.push_back({began, Clock::now()});
  return put;
}

// On a connection of its own, to the member in use.
std::shared_ptr<KvClient> NewClient(StepContext& context, const std::string& name, Duration limit) {
  AttemptSession& session = context.session();
  const Endpoint endpoint = context.environment().endpoint(Path::kDirect, session.member());
  auto kv = std::make_shared<KvClient>(session.recording(), endpoint.ToString(),
                                       KvOptions{.limits = {.each = limit}, .name = name});
  kv->SetToken(session.kv().token());
  return kv;
}

Result<Revision> AskFor(MeasureLoadStep::Asks what, KvClient& kv, Revision head) {
  if (what == MeasureLoadStep::Asks::kCompaction) return kv.Compact(head);
  WP_RETURN_IF_ERROR(StatusOf(kv.Record(Method::kDefragment, Message())));
  return head;
}

// What an operator asks for while the target is measured.
class AskedMeanwhile {
 public:
  AskedMeanwhile(StepContext& context, MeasureLoadStep::Asks what)
      : context_(context), what_(what) {}
  bool wanted() const { return what_ != MeasureLoadStep::Asks::kNothing && !load_; }
  bool under_way() const { return load_ && !load_->done(); }
  void Begin() {
    head_ = context_.head();
    load_.emplace(1, 1, [this](std::size_t) -> Load::Call {
      const auto kv = NewClient(context_, "measure-operator", kAnswerLimit);
      return [this, kv] { return AskFor(what_, *kv, head_); };
    });
  }
  Status End() {
    if (!load_) return {};
    load_->Stop();
    context_.NoteHead(load_->highest());
    const Status refusal = load_->last_error();
    if (refusal.code() == StatusCode::kUnimplemented) return refusal;
    if (!refusal.ok()) {
      context_.Inconclusive(fmt::format("the burden was refused: {}", refusal.message()));
    } else if (what_ == MeasureLoadStep::Asks::kCompaction) {
      context_.NoteFloor(head_);
    }
    return {};
  }

 private:
  StepContext& context_;
  const MeasureLoadStep::Asks what_;
  Revision head_;
  std::optional<Load> load_;
};

struct Probed {
  std::uint64_t events = 0;
  Duration delays{};
  double resident = 0;
};

double InMillis(Duration duration) {
  return std::chrono::duration<double, std::milli>(duration).count();
}

}  // namespace

Status CheckLimits(const FigureLimits& limits) {
  for (const auto& [name, limit] : limits) {
    char* end = nullptr;
    const double times = std::strtod(limit.c_str(), &end);
    if (!FindFigure(name) || *end != '\0' || !(times > 1)) {
      return Fail(StatusCode::kInvalidArgument,
                  "limit '{}' of '{}'; expected a figure, and a number above 1", limit, name);
    }
  }
  return {};
}

Usage MeasureLoadStep::Cost() const {
  return {.keys = static_cast<std::int64_t>(clients) + 1, .operations = clients};
}

std::string_view MeasureLoadStep::Request() const {
  return asks == Asks::kNothing ? std::string_view() : kAsks[static_cast<std::size_t>(asks)];
}

namespace {

// One put after the other, and the event of each. The window begins with what the operator asks
// for, and ends no sooner than with the answer.
Result<Probed> Probe(StepContext& context, const MeasureLoadStep& step, Window& window,
                     AskedMeanwhile& asked) {
  AttemptSession& session = context.session();
  const std::string placed = session.Placed(step.key);
  Probed probed;
  while ((Clock::now() < window.until || asked.under_way()) && !session.GivesUp()) {
    const bool counts = Clock::now() >= window.from;
    if (counts && asked.wanted()) {
      window.from = Clock::now();
      asked.Begin();
    }
    const Duration began = session.recording().Now();
    WP_ASSIGN_OR_RETURN(const Revision put, session.kv().Put(placed, std::string(1, 'm')));
    context.NoteHead(put);
    const auto passed = [&] { return context.Passed(step.group, put); };
    if (!session.PumpUntil(passed, Within(kAnswerLimit))) break;
    for (const StepContext::Member& member : context.groups().at(step.group)) {
      if (const WatchState* const watch = counts ? context.WatchOf(member) : nullptr) {
        ++probed.events;
        probed.delays += watch->last_arrival - began;
      }
    }
    probed.resident = std::max(probed.resident, session.ports().resident_bytes().value_or(0));
  }
  window.until = std::max(window.until, Clock::now());
  return probed;
}

}  // namespace

Status MeasureLoadStep::Run(StepContext& context) const {
  AttemptSession& session = context.session();
  Window window{.from = Clock::now() + kWarmUp, .until = Clock::now() + kWarmUp + time};
  std::vector<Puts> puts(clients);
  const std::string placed = session.Placed(key);
  Load load(clients, kMostPuts, [&](std::size_t number) -> Load::Call {
    const auto kv = NewClient(context, fmt::format("measure-{}", number), kAnswerLimit);
    return [&puts = puts[number], one = fmt::format("{}/{}", placed, number), kv] {
      return PutOnce(*kv, one, puts);
    };
  });
  const MachineUse before = ReadMachineUse();
  AskedMeanwhile asked(context, asks);
  WP_ASSIGN_OR_RETURN(Probed probed, Probe(context, *this, window, asked));
  context.NoteElsewhere(ElsewhereSince(before));
  load.Stop();
  WP_RETURN_IF_ERROR(asked.End());
  context.NoteHead(load.highest());
  session.PumpAll();
  if (session.GivesUp()) return {};
  const Answered all = AnsweredIn(puts, window);
  if (beside.empty() && (all.puts == 0 || probed.events == 0)) {
    context.Inconclusive("nothing was answered while the target was measured");
    return {};
  }
  const Duration measured = window.until - window.from;
  // Beside the burden that is what it costs.
  if (probed.events == 0) probed = {.events = 1, .delays = measured, .resident = probed.resident};
  const Burden burden{.name = beside, .over = over, .limits = limits};
  const auto note = [&](Figure figure, double value) { context.NoteFigure(figure, value, burden); };
  note(Figure::kPuts,
       static_cast<double>(all.puts) / std::chrono::duration<double>(measured).count());
  note(Figure::kLongestPut, InMillis(all.longest));
  note(Figure::kEventDelay, InMillis(probed.delays) / static_cast<double>(probed.events));
  if (probed.resident > 0) note(Figure::kResident, probed.resident / kMega);
  return {};
}

Usage MeasureServiceStep::Cost() const {
  return {.keys = 1, .operations = static_cast<std::size_t>(kServedWithin / kServiceAsked)};
}

Status MeasureServiceStep::Run(StepContext& context) const {
  AttemptSession& session = context.session();
  const auto kv = NewClient(context, "measure-service", kServiceAsked);
  const std::string placed = session.Placed(key);
  const MachineUse before = ReadMachineUse();
  const TimePoint began = Clock::now();
  // A put that a cluster without a leader has taken may wait longer than until it has one.
  const bool served = session.PumpUntil(
      [&] {
        const Result<Revision> put = kv->Put(placed, std::string(1, 'm'));
        if (put.has_value()) context.NoteHead(*put);
        return put.has_value();
      },
      Within(kServedWithin));
  const Duration took = Clock::now() - began;
  context.NoteElsewhere(ElsewhereSince(before));
  if (session.GivesUp()) return {};
  if (!served && beside.empty()) {
    context.Inconclusive("nothing was answered while the target was measured");
    return {};
  }
  context.NoteFigure(Figure::kUnserved, InMillis(took), {.name = beside, .limits = limits});
  return {};
}

namespace {

// A key that is large enough for its reads to make what is to be collected, and so small that few
// of them are under way while it is: they would count as in use.
constexpr std::size_t kBallast = 50'000;
constexpr int kCollections = 4;  // what dies during one is found by the next
constexpr Duration kCollectedWithin = 10s;
constexpr Duration kSettled = 500ms;
constexpr int kReadsAtOnce = 20;

struct Rest {
  std::optional<double> kept;
  std::optional<double> goroutines;
  std::optional<double> files;
};

std::optional<double> ValueOf(const Metrics& metrics, std::string_view name) {
  const auto found = metrics.find(name);
  return found == metrics.end() ? std::nullopt : std::optional(found->second);
}

// Go collects when its memory has doubled since the last time: half of when it will do so next is
// what it then held. The least of several counts.
Result<Rest> AtRest(StepContext& context, const std::string& placed) {
  AttemptSession& session = context.session();
  Target& target = context.environment().target(session.member());
  const auto read = [&] {
    const Result<Metrics> metrics = target.ReadMetrics();
    return metrics.has_value() ? *metrics : Metrics();
  };
  Metrics now = read();
  double next = std::numeric_limits<double>::infinity();
  const auto collections = ValueOf(now, "go_gc_duration_seconds_count");
  Status refused;
  const auto collected = [&] {
    for (int i = 0; collections && i < kReadsAtOnce && refused.ok(); ++i) {
      const auto answer = session.kv().ReadUnjudged({.key = placed, .serializable = true});
      if (!answer.has_value()) refused = answer.error();
    }
    now = read();
    const double since =
        ValueOf(now, "go_gc_duration_seconds_count").value_or(0) - collections.value_or(0);
    if (since >= 2) next = std::min(next, ValueOf(now, "go_memstats_next_gc_bytes").value_or(next));
    return !refused.ok() || since >= kCollections;
  };
  session.PumpUntil(collected, Within(collections ? kCollectedWithin : kSettled));
  WP_RETURN_IF_ERROR(refused);
  Rest rest{.goroutines = ValueOf(now, "go_goroutines"), .files = ValueOf(now, "process_open_fds")};
  rest.kept = std::isfinite(next) ? std::optional(next / 2) : session.ports().resident_bytes();
  return rest;
}

}  // namespace

Usage MeasureRestStep::Cost() const {
  return {.keys = 1, .bytes = kBallast, .operations = kReadsAtOnce};
}

Status MeasureRestStep::Run(StepContext& context) const {
  AttemptSession& session = context.session();
  const std::string placed = session.Placed(key);
  if (!context.figures().Last(Figure::kKept)) {
    WP_ASSIGN_OR_RETURN(const Revision put, session.kv().Put(placed, std::string(kBallast, 'b')));
    context.NoteHead(put);
  }
  WP_ASSIGN_OR_RETURN(const Rest rest, AtRest(context, placed));
  if (!rest.kept) {
    context.Inconclusive("how much memory the target uses is not known");
    return {};
  }
  const auto note = [&](Figure figure, double value) {
    context.NoteFigure(figure, value, {.name = beside, .limits = limits});
  };
  const auto since_first = [&](const char* of, double value) {
    return std::max(value - context.account().try_emplace(of, value).first->second, 0.0);
  };
  const double more = since_first("kept", *rest.kept);
  if (watches > 0) note(Figure::kPerWatch, more / kKilo / static_cast<double>(watches));
  const auto last = context.figures().Last(Figure::kKept);
  if (written > 0 && last) {
    const double added = std::max(*rest.kept - *last * kMega, 0.0);
    note(Figure::kPerWritten, added / static_cast<double>(written));
  }
  note(Figure::kKept, *rest.kept / kMega);
  if (rest.goroutines) {
    const double left = since_first("goroutines", *rest.goroutines);
    if (cancels > 0) note(Figure::kPerCancel, left / static_cast<double>(cancels));
    note(Figure::kGoroutines, *rest.goroutines);
  }
  if (rest.files) note(Figure::kOpenFiles, *rest.files);
  return {};
}

}  // namespace watchproof
