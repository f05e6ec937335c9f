// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/step_context.h"

#include <algorithm>

#include "harness/client/pulse.h"
#include "harness/environment/member_state.h"

namespace watchproof {
namespace {

constexpr Duration kProgressEvery = 100ms;
constexpr std::size_t kMostLeases = 16;  // that are asked for one by one

}  // namespace

Status StepContext::Begin() {
  WP_ASSIGN_OR_RETURN(head_, session_.Head());
  first_head_ = head_;
  // Watchers left by probing may still be counted. A target that only the harness uses has one
  // watcher now, the control watch.
  gauge_before_ = environment().target().shared() ? WatcherGauge() : 1;
  return {};
}

void StepContext::Await(const std::string& what, Duration limit,
                        const std::function<bool()>& done) {
  const Deadline deadline = Within(limit);
  if (session_.PumpUntil(done, deadline) || session_.GivesUp()) return;
  Inconclusive(fmt::format("waited {} ms for {}", deadline.budget().count(), what));
}

bool StepContext::MustCatchUp(int member, Revision at, const std::function<std::string()>& lacks) {
  constexpr Duration kComesNearer = 60s;
  if (standing_still_.contains(member)) return false;
  const Target& target = environment().target(member);
  std::string lacked;
  StandStill still;
  const auto decided = [&] {
    lacked = lacks();
    // Also where another one than the harness holds it.
    const bool held = faults_.Disturb() || target.process_state() == 'T';
    return still.Reached(lacked, held) || lacked.empty();
  };
  const Duration limit = faults_.Disturb() ? StandStill::kLimit : kComesNearer;
  const bool in_time = session_.PumpUntil(decided, Within(limit));
  if (in_time && lacked.empty()) return true;
  if (in_time) {
    standing_still_.insert(member);
    session_.Annotate(MemberBehind{.member = member,
                                   .revision = at.value,
                                   .lacks = lacked,
                                   .waited_ms = StandStill::kLimit / 1ms,
                                   .applied = HasAppliedTheLog(environment(), member)});
  } else {
    Inconclusive(fmt::format("member {} still lacked revision {}: {}", member, at.value, lacked));
  }
  return false;
}

bool StepContext::MustHash(int member, Revision at) {
  std::optional<HistoryHash> hash;
  const auto lacks = [&] {
    return AskForHash(environment().target(member),
                      {.member = member,
                       .revision = at,
                       .compacted = judge().compacted_through(),
                       .token = session_.kv().token()},
                      hash);
  };
  if (!MustCatchUp(member, at, lacks)) return false;
  session_.Annotate(*hash);
  return true;
}

void StepContext::CheckExpectedReports() {
  Line behind;
  for (const ReportPattern& wanted : expected_reports_) {
    const std::optional<Line> found = session_.consumer_judge().FirstBehind(behind, wanted);
    if (!found) {
      return Inconclusive(fmt::format("the consumer has not reported: {}", wanted.ToString()));
    }
    behind = *found;
  }
}

Status StepContext::NoteHead(const Result<Revision>& revision) {
  if (!revision.has_value()) return revision.error();
  NoteHead(*revision);
  return {};
}

Status StepContext::NoteWrite(const Result<Revision>& revision) {
  WP_RETURN_IF_ERROR(NoteHead(revision));
  writes_.push_back(*revision);
  return {};
}

Status StepContext::NoteLeaseWrite(const Result<Revision>& revision) {
  const bool ended = !revision.has_value() && revision.error().code() == StatusCode::kNotFound;
  return NoteWrite(ended ? Result<Revision>(head_) : revision);
}

Revision StepContext::Resolve(const RevisionRef& ref) const {
  switch (ref.base) {
    case RevisionRef::Base::kAbsolute:
      return Revision(ref.number);
    case RevisionRef::Base::kHead:
      // Before the first revision there is none; what is below it is asked for by its number.
      return std::max(head_.plus(ref.number), Revision(1));
    case RevisionRef::Base::kWrite:
      return writes_.at(static_cast<std::size_t>(ref.number));
  }
  return {};
}

Result<WatchStream*> StepContext::Stream(const std::string& name,
                                         AttemptSession::StreamSettings settings) {
  settings.path = name.starts_with("direct") ? Path::kDirect : Path::kProxied;
  return session_.Stream(name, settings);
}

const WatchState* StepContext::WatchOf(const Member& member) const {
  const auto index = judge().Find(member.stream, member.ordinal);
  return index ? &judge().watch(*index) : nullptr;
}

bool StepContext::EveryMember(const std::string& group,
                              const std::function<bool(const WatchState&)>& fact) {
  const auto& members = groups_.at(group);
  return std::all_of(members.begin(), members.end(), [&](const Member& member) {
    const WatchState* const watch = WatchOf(member);
    return watch != nullptr && fact(*watch);
  });
}

void StepContext::NoteFigure(Figure figure, double value, const Burden& beside) {
  if (const auto pair = figures_.Note(figure, value, beside)) session_.Annotate(*pair);
}

// A write that was refused and carried out leaves a revision that is never known: what is beyond it
// has come to a watch, and nothing is left to come.
bool StepContext::Passed(const std::string& group, Revision through) {
  return EveryMember(group, [through](const WatchState& watch) {
    return watch.end != WatchEnd::kOpen || watch.last_event >= through;
  });
}

bool StepContext::Delivered(const std::string& group, Duration limit) {
  const Revision through = head_;
  return session_.PumpUntil(
      [&] {
        if (judge().known_through() < through) return Passed(group, through);
        // A watch that has lost an event for good is never complete, but does not count as waiting.
        const std::vector<std::size_t> waiting = judge().Unsettled();
        const auto& members = groups_.at(group);
        return std::none_of(members.begin(), members.end(), [&](const Member& member) {
          const auto index = judge().Find(member.stream, member.ordinal);
          return !index || std::binary_search(waiting.begin(), waiting.end(), *index);
        });
      },
      Within(limit));
}

bool StepContext::HasOpenWatch(StreamId stream) const {
  const auto& watches = judge().watches();
  return std::any_of(watches.begin(), watches.end(), [stream](const WatchState& one) {
    return one.stream == stream && one.end == WatchEnd::kOpen;
  });
}

bool StepContext::GotProgress(WatchStream& stream, bool asked, Duration limit) {
  std::map<std::uint32_t, std::uint64_t> before;  // by ordinal
  session_.PumpAll();
  // A progress answer below it does not count.
  Revision head = judge().reached();
  for (const WatchState& watch : judge().watches()) {
    if (watch.stream != stream.id()) continue;
    before[watch.ordinal] = watch.progress_answers;
    head = std::max(head, watch.last_event);
  }
  const auto answered = [&] {
    const std::vector<WatchState>& all = judge().watches();
    return std::any_of(all.begin(), all.end(), [&](const WatchState& watch) {
      return watch.stream == stream.id() && watch.progress_answers > before[watch.ordinal] &&
             watch.bookmark >= head;
    });
  };
  const Deadline deadline = Within(limit);
  bool reported = false;
  while (!reported && !deadline.expired() && !session_.GivesUp()) {
    if (asked) stream.RequestProgress();
    reported = session_.PumpUntil(answered, Within(kProgressEvery));
  }
  return reported;
}

Status StepContext::MustReportProgress(const std::string& name, bool asked, Duration limit) {
  WP_ASSIGN_OR_RETURN(WatchStream* const stream, Stream(name));
  MustReportProgress(*stream, asked, limit);
  return {};
}

// Judged from the annotations, so that the recording alone is sufficient.
void StepContext::MustReportProgress(WatchStream& stream, bool asked, Duration limit) {
  session_.Annotate(ProgressDue{
      .stream = stream.id(), .asked = asked, .limit_ms = InMilliseconds(OnThisMachine(limit))});
  const bool reported = GotProgress(stream, asked, limit);
  // Compacted by others, for instance: then no watch could report progress.
  if (!reported && !HasOpenWatch(stream.id())) {
    return Inconclusive(fmt::format("every watch of stream {} ended before it received progress",
                                    stream.id().value));
  }
  if (reported || !session_.GivesUp()) session_.Annotate(ProgressOver{stream.id()});
  session_.PumpAll();
}

std::uint64_t StepContext::EventsGiven(const std::string& group) const {
  std::uint64_t events = 0;
  for (const Member& member : groups_.at(group)) {
    if (const WatchState* const watch = WatchOf(member)) events += watch->events;
  }
  return events;
}

DeliveryDue StepContext::DueTo(const std::string& group, Duration limit) const {
  DeliveryDue due{.group = group,
                  .streams = {},
                  .ordinals = {},
                  .through = head_.value,
                  .limit_ms = InMilliseconds(OnThisMachine(limit))};
  for (const Member& member : groups_.at(group)) {
    due.streams.push_back(member.stream.value);
    due.ordinals.push_back(member.ordinal);
  }
  return due;
}

bool StepContext::MustArrive(const std::string& group, Duration limit) {
  DeliveryDue due = DueTo(group, limit);
  due.unasked = true;
  session_.Annotate(due);
  const Pulse pulse(ConnectionQuestion(environment().endpoint(Path::kDirect).ToString()), {});
  std::set<StreamId> streams;
  for (const Member& member : groups_.at(group)) streams.insert(member.stream);
  const Revision through = head_;
  const ByItself what{.wait = [&](Duration time) { return Delivered(group, time); },
                      .came = [&] { return ProgressTo(through, streams, judge()); },
                      .given_up = [&] { return session_.GivesUp(); }};
  const Arrival arrival = AwaitByItself(pulse, what, limit);
  DeliveryOver over{.group = group};
  if (arrival.connected_within) over.answered_ms = InMilliseconds(*arrival.connected_within);
  if (!session_.GivesUp()) session_.Annotate(over);
  return arrival.arrived;
}

// The group is judged from the annotations: it fails when nothing more came for the limit.
void StepContext::MustDeliver(const std::string& group, Duration limit) {
  session_.Annotate(DueTo(group, limit));
  std::uint64_t given = 0;
  do {
    given = EventsGiven(group);
    if (Delivered(group, limit)) break;
    if (session_.GivesUp()) return;
  } while (EventsGiven(group) > given);
  session_.Annotate(DeliveryOver{group});
  session_.PumpAll();
}

// After a linearizable read, so that the member that answers has every lease that was acknowledged.
Status StepContext::ListLeases() {
  WP_RETURN_IF_ERROR(NoteHead(session_.ReadKeys()));
  WP_RETURN_IF_ERROR(session_.kv().ListLeases());
  std::size_t asked = 0;
  for (const auto& [name, lease] : leases_) {
    if (++asked > kMostLeases) break;
    // Some stores refuse to describe one that has ended.
    const Status described = session_.kv().TimeToLive(lease);
    if (described.code() != StatusCode::kNotFound) WP_RETURN_IF_ERROR(described);
  }
  return {};
}

void StepContext::HealAll() {
  for (std::string& trouble : faults_.HealAll()) Inconclusive(std::move(trouble));
  for (const auto& [name, load] : loads_) {
    load->Stop();
    NoteHead(load->highest());
  }
  voters_.clear();
}

}  // namespace watchproof
