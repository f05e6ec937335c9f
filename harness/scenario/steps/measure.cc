// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/steps/measure.h"

#include <cmath>
#include <cstdlib>
#include <limits>

#include "harness/scenario/step_context.h"
#include "harness/session/machine_use.h"

namespace watchproof {
namespace {

const StepRegistration<MeasureLoadStep, MeasureRestStep> kMeasureSteps;

constexpr std::size_t kMostPuts = 1'000'000;  // of a client
constexpr std::size_t kMeasuredBytes = 100;
constexpr Duration kAnswerLimit = 20s;
// Until clients are connected and the target has woken.
constexpr Duration kWarmUp = 200ms;
constexpr double kMega = 1e6;
constexpr double kKilo = 1e3;

// One client's, touched by nothing but its thread until the load has stopped.
struct Puts {
  std::uint64_t answered = 0;
  Duration longest{};
};

Puts Together(const std::vector<Puts>& clients) {
  Puts all;
  for (const Puts& one : clients) {
    all.answered += one.answered;
    all.longest = std::max(all.longest, one.longest);
  }
  return all;
}

struct Window {
  TimePoint from;
  TimePoint until;
};

Result<Revision> PutOnce(KvClient& kv, const std::string& key, const Window& window, Puts& puts) {
  const TimePoint began = Clock::now();
  Result<Revision> put = kv.Put(key, std::string(kMeasuredBytes, 'm'));
  const TimePoint ended = Clock::now();
  if (began < window.from || began >= window.until || !put.has_value()) return put;
  puts.answered += ended <= window.until ? 1 : 0;
  puts.longest = std::max(puts.longest, ended - began);
  return put;
}

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

Status MeasureLoadStep::Run(StepContext& context) const {
  AttemptSession& session = context.session();
  const Window window{.from = Clock::now() + kWarmUp, .until = Clock::now() + kWarmUp + time};
  std::vector<Puts> puts(clients);
  const std::string placed = session.Placed(key);
  const std::string endpoint =
      context.environment().endpoint(Path::kDirect, session.member()).ToString();
  Load load(clients, kMostPuts, [&](std::size_t number) -> Load::Call {
    const auto kv = std::make_shared<KvClient>(
        session.recording(), endpoint,
        KvOptions{.limits = {.each = kAnswerLimit}, .name = fmt::format("measure-{}", number)});
    kv->SetToken(session.kv().token());
    return [&window, &puts = puts[number], one = fmt::format("{}/{}", placed, number), kv] {
      return PutOnce(*kv, one, window, puts);
    };
  });
  const MachineUse before = ReadMachineUse();
  double resident = 0;
  std::uint64_t events = 0;
  Duration delays{};
  while (Clock::now() < window.until && !session.GivesUp()) {
    const bool counts = Clock::now() >= window.from;
    const Duration began = session.recording().Now();
    WP_ASSIGN_OR_RETURN(const Revision put, session.kv().Put(placed, std::string(1, 'm')));
    context.NoteHead(put);
    if (!session.PumpUntil([&] { return context.Passed(group, put); }, Within(kAnswerLimit))) break;
    for (const StepContext::Member& member : context.groups().at(group)) {
      if (const WatchState* const watch = counts ? context.WatchOf(member) : nullptr) {
        ++events;
        delays += watch->last_arrival - began;
      }
    }
    resident = std::max(resident, session.ports().resident_bytes().value_or(0));
  }
  context.NoteElsewhere(ElsewhereSince(before));
  load.Stop();
  context.NoteHead(load.highest());
  session.PumpAll();
  if (session.GivesUp()) return {};
  const Puts all = Together(puts);
  if (beside.empty() && (all.answered == 0 || events == 0)) {
    context.Inconclusive("nothing was answered while the target was measured");
    return {};
  }
  // Beside the burden that is what it costs.
  if (events == 0) {
    events = 1;
    delays = time;
  }
  const double seconds = std::chrono::duration<double>(time).count();
  const auto note = [&](Figure figure, double value) {
    context.NoteFigure(figure, value, beside, limits);
  };
  note(Figure::kPuts, static_cast<double>(all.answered) / seconds);
  note(Figure::kLongestPut, InMillis(all.longest));
  note(Figure::kEventDelay, InMillis(delays) / static_cast<double>(events));
  if (resident > 0) note(Figure::kResident, resident / kMega);
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
  if (context.figures().count(Figure::kKept) == 0) {
    WP_ASSIGN_OR_RETURN(const Revision put, session.kv().Put(placed, std::string(kBallast, 'b')));
    context.NoteHead(put);
  }
  WP_ASSIGN_OR_RETURN(const Rest rest, AtRest(context, placed));
  if (!rest.kept) {
    context.Inconclusive("how much memory the target uses is not known");
    return {};
  }
  const auto note = [&](Figure figure, double value) {
    context.NoteFigure(figure, value, beside, limits);
  };
  const auto since_first = [&](const char* of, double value) {
    return std::max(value - context.account().try_emplace(of, value).first->second, 0.0);
  };
  const double more = since_first("kept", *rest.kept);
  if (watches > 0) note(Figure::kPerWatch, more / kKilo / static_cast<double>(watches));
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
