// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/steps/watch.h"

#include <algorithm>
#include <functional>

#include "harness/base/escape.h"
#include "harness/scenario/step_context.h"

namespace watchproof {
namespace {

const StepRegistration<WatchStep, ChurnStep, CancelStep, ResumeStep, AwaitCreatedStep,
                       AwaitEndedStep, AwaitDeliveredStep, MustDeliverStep, MustEndStep,
                       AwaitRegisteredStep, AwaitUnregisteredStep, AwaitSyncPassesStep>
    kWatchSteps;

constexpr std::int64_t kProbeBytes = 64;

Status CheckIds(std::int64_t first_id) {
  if (first_id <= std::int64_t{1} << 62) return {};
  return Fail(StatusCode::kInvalidArgument, "an id of {}", first_id);
}

bool IsOver(const WatchState& watch) { return watch.end != WatchEnd::kOpen; }

void AwaitEnds(StepContext& context, const std::string& group) {
  context.AwaitEveryMember(group, "an answer to every cancel of group " + group, IsOver);
}

// Waits until the gauge has so many watchers more than before the first step.
void AwaitGauge(StepContext& context, std::string_view relation, std::size_t watchers,
                const std::function<bool(double, double)>& holds) {
  if (!context.gauge_before() || !context.WatcherGauge()) return;
  const double wanted = *context.gauge_before() + static_cast<double>(watchers);
  context.Await(fmt::format("the target's gauge to count {}{} more watchers", relation, watchers),
                StepContext::kPatience, [&] {
                  const auto gauge = context.WatcherGauge();
                  return gauge && holds(*gauge, wanted);
                });
}

}  // namespace

Status WatchStep::Check() const { return CheckIds(first_id); }

std::vector<WatchStep> WatchStep::Smaller() const {
  std::vector<WatchStep> smaller;
  for (const std::size_t fewer : {std::size_t{1}, count / 2, count * 3 / 4}) {
    if (fewer == 0 || fewer >= count) continue;
    smaller.push_back(*this);
    smaller.back().count = fewer;
  }
  return smaller;
}

std::string WatchStep::BeyondKubernetes() const {
  if (first_id != 0) return "watch ids chosen by the client";
  for (const WatchOption& option : kWatchOptions) {
    const bool beyond = options.*option.flag && !option.beyond_kubernetes.empty();
    if (beyond) return std::string(option.beyond_kubernetes);
  }
  return {};
}

Status WatchStep::Run(StepContext& context) const {
  AttemptSession& session = context.session();
  WP_ASSIGN_OR_RETURN(WatchStream* const opened,
                      context.Stream(stream, {.user = user,
                                              .member = member,
                                              .require_leader = require_leader,
                                              .beside = beside,
                                              .token = token}));
  session.PumpAll();
  // A create would get no answer, and that would count as the target's mistake.
  if (session.traffic().HasEnded(opened->id())) {
    if (!context.judge().WasDropped(opened->id())) {
      return Fail(StatusCode::kInternal, "the plan watches on stream {}, which has ended", stream);
    }
    context.groups()[group];
    context.Inconclusive(
        fmt::format("the target ended stream {}, so group {} has no watch", stream, group));
    return {};
  }
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t id = first_id == 0 ? 0 : first_id + static_cast<std::int64_t>(i);
    const std::uint32_t ordinal = opened->Create({.key = session.Placed(range.key),
                                                  .range_end = session.PlacedEnd(range.range_end),
                                                  .start = context.Resolve(start),
                                                  .id = WatchId(id),
                                                  .options = options});
    context.groups()[group].push_back({opened->id(), ordinal, WatchId(id)});
  }
  return {};
}

Status ChurnStep::Check() const { return CheckIds(first_id); }

Status ChurnStep::Run(StepContext& context) const {
  AttemptSession& session = context.session();
  WP_ASSIGN_OR_RETURN(WatchStream* const opened, context.Stream(stream));
  for (std::size_t i = 0; i < count; ++i) {
    const WatchId id(first_id + static_cast<std::int64_t>(i));
    const std::uint32_t ordinal = opened->Create({.key = session.Placed(range.key),
                                                  .range_end = session.PlacedEnd(range.range_end),
                                                  .start = context.Resolve(start),
                                                  .id = id});
    opened->Cancel(id);
    context.groups()[group].push_back({opened->id(), ordinal, id});
  }
  AwaitEnds(context, group);
  return {};
}

Status CancelStep::Run(StepContext& context) const {
  for (const StepContext::Member& member : context.groups().at(group)) {
    const WatchState* const watch = context.WatchOf(member);
    const bool answered = watch != nullptr && watch->created;
    const WatchId id = answered ? watch->id : member.chosen;
    if (answered || id.value > 0) context.session().StreamOf(member.stream)->Cancel(id);
  }
  if (!at_once) AwaitEnds(context, group);
  return {};
}

Status ResumeStep::Check() const {
  // A group that resumes itself would grow during the iteration.
  if (as != group) return {};
  return Fail(StatusCode::kInvalidArgument, "group '{}' is resumed as itself", Escaped(as));
}

Status ResumeStep::Run(StepContext& context) const {
  AttemptSession& session = context.session();
  session.PumpAll();
  WP_ASSIGN_OR_RETURN(WatchStream* const next,
                      context.Stream(fmt::format("resumed/{}", as), {.member = member}));
  for (const StepContext::Member& one : context.groups().at(group)) {
    const WatchState* const before = context.WatchOf(one);
    if (before == nullptr) {
      return Fail(StatusCode::kInternal, "group {} was never created", group);
    }
    auto& resumed = context.groups()[as];
    session.Annotate(Resumption{.stream = one.stream,
                                .ordinal = one.ordinal,
                                .next_stream = next->id(),
                                .next_ordinal = static_cast<std::uint32_t>(resumed.size())});
    const std::uint32_t ordinal = next->Create({.key = before->key,
                                                .range_end = before->range_end,
                                                .start = before->resume_at,
                                                .options = before->options});
    resumed.push_back({next->id(), ordinal});
  }
  return AwaitCreatedStep{as}.Run(context);
}

Status AwaitCreatedStep::Run(StepContext& context) const {
  context.AwaitEveryMember(group, "an answer to every create of group " + group,
                           [](const WatchState& watch) { return watch.created || IsOver(watch); });
  return {};
}

Status AwaitEndedStep::Run(StepContext& context) const {
  context.Await(fmt::format("the end of the streams of group {}", group), StepContext::kPatience,
                [&] {
                  const auto& members = context.groups().at(group);
                  return std::all_of(members.begin(), members.end(), [&](const auto& member) {
                    return context.session().traffic().HasEnded(member.stream);
                  });
                });
  return {};
}

// Under a fault what does not come proves nothing.
Status AwaitDeliveredStep::Run(StepContext& context) const {
  const Revision through = context.head();
  const bool delivered = context.faults().Disturb()
                             ? context.Delivered(group, StepContext::kPatience)
                             : context.MustArrive(group, StepContext::kPatience);
  if (!delivered && !context.session().GivesUp()) {
    context.Inconclusive(
        fmt::format("waited for every change through revision {} at group {}", through, group));
  }
  return {};
}

Status MustDeliverStep::Run(StepContext& context) const {
  context.MustDeliver(group, limit);
  return {};
}

Status MustEndStep::Run(StepContext& context) const {
  AttemptSession& session = context.session();
  WP_ASSIGN_OR_RETURN(WatchStream* const due, context.Stream(stream));
  session.Annotate(
      StreamEndDue{.stream = due->id(), .limit_ms = InMilliseconds(OnThisMachine(limit))});
  session.PumpUntil([&] { return session.traffic().HasEnded(due->id()); }, Within(limit));
  if (!session.GivesUp()) session.Annotate(StreamEndOver{due->id()});
  session.PumpAll();
  return {};
}

Status AwaitRegisteredStep::Run(StepContext& context) const {
  AwaitGauge(context, "", watchers, std::greater_equal<>());
  return {};
}

Status AwaitUnregisteredStep::Run(StepContext& context) const {
  AwaitGauge(context, "no more than ", watchers, std::less_equal<>());
  return {};
}

Usage AwaitSyncPassesStep::Cost() const {
  return {.keys = passes, .bytes = passes * kProbeBytes, .watchers = passes};
}

Status AwaitSyncPassesStep::Run(StepContext& context) const {
  AttemptSession& session = context.session();
  for (int pass = 0; pass < passes; ++pass) {
    const int probe = context.NextProbe();
    const std::string group = fmt::format("direct/probe/{}", probe);
    const std::string key = fmt::format("wp-probe/{}", probe);
    WP_ASSIGN_OR_RETURN(const Revision revision, session.kv().Put(session.Placed(key), "probe"));
    context.NoteHead(revision);
    // The watch's one event is in the past, so only the catch-up loop can deliver it.
    const WatchStep watch{
        .group = group, .range = {key}, .start = AtRevision(revision.value), .stream = "direct"};
    WP_RETURN_IF_ERROR(watch.Run(context));
    context.AwaitEveryMember(group, "a pass of the target's catch-up loop",
                             [](const WatchState& one) { return one.events > 0 || IsOver(one); });
  }
  return {};
}

}  // namespace watchproof
