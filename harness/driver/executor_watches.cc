// SPDX-License-Identifier: Apache-2.0
// The steps that open, end and follow watches, and those that wait for facts about them.
#include <algorithm>

#include "harness/driver/executor.h"
#include "harness/history/history_parser.h"

namespace watchproof {
namespace {

std::vector<EventFilter> FiltersOf(const WatchStep& step) {
  std::vector<EventFilter> filters;
  if (step.no_puts) filters.push_back(EventFilter::kNoPut);
  if (step.no_deletes) filters.push_back(EventFilter::kNoDelete);
  return filters;
}

}  // namespace

Status Executor::Do(const WatchStep& step) {
  WP_ASSIGN_OR_RETURN(WatchStream* const stream,
                      environment_.Stream(step.stream, {.user = step.user,
                                                        .member = step.member,
                                                        .require_leader = step.require_leader}));
  environment_.PumpAll();
  // A create would get no answer, and that would count as the target's mistake.
  if (environment_.HasEnded(stream->id())) {
    if (!environment_.judge().WasDropped(stream->id())) {
      return Fail(StatusCode::kInternal, "the plan watches on stream {}, which has ended",
                  step.stream);
    }
    groups_[step.group];
    inconclusive_.push_back(fmt::format("the target ended stream {}, so group {} has no watch",
                                        step.stream, step.group));
    return {};
  }
  for (std::size_t i = 0; i < step.count; ++i) {
    const std::int64_t id = step.first_id == 0 ? 0 : step.first_id + static_cast<std::int64_t>(i);
    const std::uint32_t ordinal =
        stream->Create({.key = environment_.Placed(step.key),
                        .range_end = environment_.PlacedEnd(step.range_end),
                        .start = Resolve(step.start),
                        .id = WatchId(id),
                        .previous_values = step.previous_values,
                        .progress_notify = step.progress_notify,
                        .fragment = step.fragment,
                        .filters = FiltersOf(step)});
    groups_[step.group].push_back({stream->id(), ordinal});
  }
  return {};
}

Status Executor::Do(const RequestProgressStep& step) {
  WP_ASSIGN_OR_RETURN(WatchStream* const stream, environment_.Stream(step.stream));
  stream->RequestProgress();
  progress_asked_ = true;
  return {};
}

Status Executor::Do(const AwaitCreatedStep& step) {
  Await(fmt::format("an answer to every create of group {}", step.group), kPatience, [&] {
    return EveryMember(step.group, [](const WatchState& watch) {
      return watch.created || watch.end != WatchEnd::kOpen;
    });
  });
  return {};
}

Status Executor::Do(const AwaitEndedStep& step) {
  Await(fmt::format("the end of the streams of group {}", step.group), kPatience, [&] {
    const auto& members = groups_.at(step.group);
    return std::all_of(members.begin(), members.end(),
                       [&](const Member& member) { return environment_.HasEnded(member.stream); });
  });
  return {};
}

Status Executor::Do(const AwaitDeliveredStep& step) {
  const Revision through = head_;
  if (!Delivered(step.group, kPatience) && !environment_.GivesUp()) {
    inconclusive_.push_back(fmt::format("waited for every change through revision {} at group {}",
                                        through, step.group));
  }
  return {};
}

Status Executor::Do(const ChurnStep& step) {
  WP_ASSIGN_OR_RETURN(WatchStream* const stream, environment_.Stream(step.stream));
  for (std::size_t i = 0; i < step.count; ++i) {
    const WatchId id(step.first_id + static_cast<std::int64_t>(i));
    const std::uint32_t ordinal =
        stream->Create({.key = environment_.Placed(step.key),
                        .range_end = environment_.PlacedEnd(step.range_end),
                        .start = Resolve(step.start),
                        .id = id});
    stream->Cancel(id);
    groups_[step.group].push_back({stream->id(), ordinal});
  }
  AwaitEnds(step.group);
  return {};
}

Status Executor::Do(const CancelStep& step) {
  for (const Member& member : groups_.at(step.group)) {
    const auto index = environment_.judge().Find(member.stream, member.ordinal);
    if (!index) continue;
    environment_.StreamOf(member.stream)->Cancel(environment_.judge().watches()[*index].id);
  }
  AwaitEnds(step.group);
  return {};
}

void Executor::AwaitEnds(const std::string& group) {
  Await(fmt::format("an answer to every cancel of group {}", group), kPatience, [&] {
    return EveryMember(group, [](const WatchState& watch) { return watch.end != WatchEnd::kOpen; });
  });
}

Status Executor::Do(const ResumeStep& step) {
  environment_.PumpAll();
  const std::string name = fmt::format("resumed/{}", step.as);
  WP_ASSIGN_OR_RETURN(WatchStream* const stream,
                      environment_.Stream(name, {.member = step.member}));
  for (const Member& member : groups_.at(step.group)) {
    const auto index = environment_.judge().Find(member.stream, member.ordinal);
    if (!index) return Fail(StatusCode::kInternal, "group {} was never created", step.group);
    const WatchState& before = environment_.judge().watches()[*index];
    environment_.Annotate(
        Resumption{.stream = member.stream,
                   .ordinal = member.ordinal,
                   .next_stream = stream->id(),
                   .next_ordinal = static_cast<std::uint32_t>(groups_[step.as].size())});
    const std::uint32_t ordinal = stream->Create(
        {.key = before.key, .range_end = before.range_end, .start = before.resume_at});
    groups_[step.as].push_back({stream->id(), ordinal});
  }
  return Do(AwaitCreatedStep{step.as});
}

// The request is repeated, so a stream that is caught up receives an answer.
Status Executor::Do(const AwaitProgressStep& step) {
  return Do(MustReportProgressStep{
      .when = MustReportProgressStep::When::kAsked, .stream = step.stream, .limit = kPatience});
}

Status Executor::Do(const AwaitRegisteredStep& step) {
  if (!gauge_before_) return {};
  const double wanted = *gauge_before_ + static_cast<double>(step.watchers);
  Await(fmt::format("the target's gauge to count {} more watchers", step.watchers), kPatience, [&] {
    const auto gauge = WatcherGauge();
    return gauge && *gauge >= wanted;
  });
  return {};
}

Status Executor::Do(const AwaitSyncPassesStep& step) {
  for (int pass = 0; pass < step.passes; ++pass) {
    const std::string name = fmt::format("direct/probe/{}", ++probes_);
    const std::string key = fmt::format("wp-probe/{}", probes_);
    WP_ASSIGN_OR_RETURN(const Revision revision,
                        environment_.kv().Put(environment_.Placed(key), "probe"));
    head_ = std::max(head_, revision);
    // The watch's one event is in the past, so only the catch-up loop can deliver it.
    WP_RETURN_IF_ERROR(Do(WatchStep{
        .group = name, .key = key, .start = {.number = revision.value}, .stream = "direct"}));
    Await("a pass of the target's catch-up loop", kPatience, [&] {
      return EveryMember(name, [](const WatchState& watch) {
        return watch.events > 0 || watch.end != WatchEnd::kOpen;
      });
    });
  }
  return {};
}

}  // namespace watchproof
