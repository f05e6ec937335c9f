// SPDX-License-Identifier: Apache-2.0
#include "harness/driver/executor.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "harness/checkers/likeness.h"
#include "harness/driver/interrupt.h"
#include "harness/history/narrator.h"

namespace watchproof {
namespace {

constexpr Duration kPatience = 10s;      // for facts that every target brings about
constexpr Duration kFeltPatience = 3s;   // for a fault to be felt
constexpr Duration kLoadPatience = 30s;  // for all calls of a load
constexpr Duration kProgressEvery = 100ms;
constexpr std::string_view kWatcherGauge = "etcd_debugging_mvcc_watcher_total";
constexpr int kMostSentinels = 200;  // to lift the head over the start of a watch on the future

std::vector<EventFilter> FiltersOf(const WatchStep& step) {
  std::vector<EventFilter> filters;
  if (step.no_puts) filters.push_back(EventFilter::kNoPut);
  if (step.no_deletes) filters.push_back(EventFilter::kNoDelete);
  return filters;
}

}  // namespace

Executor::Executor(World& world, const Plan& plan, const AttemptSpec& spec)
    : world_(world), plan_(plan), spec_(spec) {}

Status Executor::Run() {
  WP_ASSIGN_OR_RETURN(head_, world_.kv().Head());
  gauge_before_ = WatcherGauge();
  // What probing left may still be counted. On a target of our own there is the witness, no other.
  if (gauge_before_ && !world_.target().shared()) gauge_before_ = 1;
  for (std::size_t i = 0; i < plan_.steps.size(); ++i) {
    if (Interrupted()) return Fail(StatusCode::kCancelled, "interrupted before step {}", i);
    Status done = std::visit([this](const auto& step) { return Do(step); }, plan_.steps[i]);
    if (!done.ok()) return std::move(done).WithContext("step {} of the plan", i);
    for (const auto& [name, fault] : faults_) fault->Observe(world_.ports());
    world_.PumpAll();
    if (world_.StopsEarly()) break;
  }
  return {};
}

Status Executor::NoteHead(const Result<Revision>& revision) {
  if (!revision.has_value()) return revision.error();
  head_ = std::max(head_, *revision);
  return {};
}

Status Executor::NoteWrite(const Result<Revision>& revision) {
  WP_RETURN_IF_ERROR(NoteHead(revision));
  writes_.push_back(*revision);
  return {};
}

std::int64_t Executor::LeaseOf(const PutStep& step) const {
  return step.lease.empty() ? 0 : leases_.at(step.lease);
}

Status Executor::Do(const PutStep& step) {
  return NoteWrite(world_.kv().Put(world_.Placed(step.key), step.value.Make(), LeaseOf(step)));
}

Status Executor::Do(const DeleteStep& step) {
  return NoteWrite(world_.kv().Delete(world_.Placed(step.key), world_.PlacedEnd(step.range_end)));
}

Status Executor::Do(const TxnStep& step) {
  std::vector<WriteOp> writes;
  for (const auto& write : step.writes) {
    if (const auto* put = std::get_if<PutStep>(&write)) {
      writes.push_back({.kind = WriteOp::Kind::kPut,
                        .key = world_.Placed(put->key),
                        .value = put->value.Make(),
                        .lease = LeaseOf(*put)});
    } else {
      const auto& erase = std::get<DeleteStep>(write);
      writes.push_back({.kind = WriteOp::Kind::kDelete,
                        .key = world_.Placed(erase.key),
                        .range_end = world_.PlacedEnd(erase.range_end)});
    }
  }
  return NoteWrite(world_.kv().Transact(writes));
}

Status Executor::Do(const CompactStep& step) {
  const auto done = world_.kv().Compact(Resolve(step.at));
  return done.has_value() ? Status() : done.error();
}

Status Executor::Do(const LeaseStep& step) {
  WP_ASSIGN_OR_RETURN(leases_[step.lease], world_.kv().Grant(step.ttl));
  return {};
}

// The answer tells the last revision that it made.
Status Executor::Do(const RevokeStep& step) {
  return NoteHead(world_.kv().Revoke(leases_.at(step.lease)));
}

Status Executor::Do(const AwaitExpiredStep& step) {
  const std::int64_t lease = leases_.at(step.lease);
  Status trouble;
  Await(fmt::format("the end of lease {}", step.lease), kPatience, [&] {
    const Result<bool> there = world_.kv().HasLease(lease);
    if (!there.has_value()) trouble = there.error();
    return !there.has_value() || !*there;
  });
  WP_RETURN_IF_ERROR(trouble);
  // A lease may be off the list just before its keys are gone; a linearizable read comes after.
  return NoteHead(world_.kv().Head());
}

Status Executor::Do(const AuthStep& step) {
  std::vector<WorldReader> readers;
  for (const AuthStep::Reader& reader : step.readers) {
    readers.push_back({.user = reader.user,
                       .key = world_.Placed(reader.key),
                       .range_end = world_.PlacedEnd(reader.range_end)});
  }
  return world_.AskForUsers(readers);
}

Status Executor::Do(const LoadStep& step) {
  loads_[step.load] = world_.StartLoad(step);
  return {};
}

// A load that was never begun has ended: shrinking may have left it out.
Status Executor::Do(const AwaitLoadStep& step) {
  const auto load = loads_.find(step.load);
  if (load == loads_.end()) return {};
  Await(fmt::format("the end of load {}", step.load), kLoadPatience,
        [&] { return load->second->done(); });
  if (step.lost && load->second->lost() == 0 && !world_.GivesUp()) {
    unproven_.push_back(fmt::format("no call of load {} lost its answer", step.load));
  }
  head_ = std::max(head_, load->second->highest());
  return {};
}

void Executor::StopLoads() {
  for (const auto& [name, load] : loads_) {
    load->Stop();
    head_ = std::max(head_, load->highest());
  }
}

Status Executor::Do(const WatchStep& step) {
  WP_ASSIGN_OR_RETURN(WatchStream* const stream, world_.Stream(step.stream, step.user));
  world_.PumpAll();
  // Nobody would answer, and the target would be blamed for it.
  if (world_.HasEnded(stream->id())) {
    return Fail(StatusCode::kInternal, "the plan watches on stream {}, which has ended",
                step.stream);
  }
  for (std::size_t i = 0; i < step.count; ++i) {
    const std::int64_t id = step.first_id == 0 ? 0 : step.first_id + static_cast<std::int64_t>(i);
    const std::uint32_t ordinal = stream->Create({.key = world_.Placed(step.key),
                                                  .range_end = world_.PlacedEnd(step.range_end),
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
  WP_ASSIGN_OR_RETURN(WatchStream* const stream, world_.Stream(step.stream));
  stream->RequestProgress();
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

Status Executor::Do(const AwaitDeliveredStep& step) {
  const Revision through = head_;
  if (!Delivered(step.group, kPatience) && !world_.GivesUp()) {
    unproven_.push_back(fmt::format("waited for every change through revision {} at group {}",
                                    through, step.group));
  }
  return {};
}

bool Executor::Delivered(const std::string& group, Duration limit) {
  const Revision through = head_;
  return world_.PumpUntil(
      [&] {
        if (world_.judge().known_through() < through) return false;
        // A watch that has lost something for good will not be complete, but it waits for nothing
        // either.
        const std::vector<std::size_t> waiting = world_.judge().Unsettled();
        const auto& members = groups_.at(group);
        return std::none_of(members.begin(), members.end(), [&](const Member& member) {
          const auto index = world_.judge().Find(member.stream, member.ordinal);
          return !index || std::binary_search(waiting.begin(), waiting.end(), *index);
        });
      },
      Within(limit));
}

std::uint64_t Executor::EventsGiven(const std::string& group) {
  std::uint64_t events = 0;
  for (const Member& member : groups_.at(group)) {
    const auto index = world_.judge().Find(member.stream, member.ordinal);
    if (index) events += world_.judge().watches()[*index].events;
  }
  return events;
}

std::string Executor::Lagging(const std::string& group) {
  std::size_t behind = 0;
  Revision furthest = head_;
  for (const Member& member : groups_.at(group)) {
    const auto index = world_.judge().Find(member.stream, member.ordinal);
    if (!index) continue;
    const WatchState& watch = world_.judge().watches()[*index];
    if (watch.complete || watch.end != WatchEnd::kOpen) continue;
    ++behind;
    furthest = std::min(furthest, watch.position);
  }
  return fmt::format("{} of {} still waited, the furthest behind at revision {}", behind,
                     groups_.at(group).size(), furthest);
}

// A slow machine is no broken promise: only a target that delivers nothing more for the limit is
// judged.
Status Executor::Do(const MustDeliverStep& step) {
  const Revision through = head_;
  std::uint64_t given = 0;
  do {
    given = EventsGiven(step.group);
    if (Delivered(step.group, step.limit) || world_.GivesUp()) return {};
  } while (EventsGiven(step.group) > given);
  findings_.push_back(
      {.guarantee = Guarantee::kIsolated,
       .watch = fmt::format("group {}, on a connection of its own", step.group),
       .expected =
           fmt::format("every change through revision {}, or at least one every {} ms", through,
                       std::chrono::duration_cast<std::chrono::milliseconds>(step.limit).count()),
       .observed = Lagging(step.group),
       .evidence = {world_.recorder().last()},
       .at = world_.recorder().Now()});
  return {};
}

Status Executor::Do(const CancelStep& step) {
  for (const Member& member : groups_.at(step.group)) {
    const auto index = world_.judge().Find(member.stream, member.ordinal);
    if (!index) continue;
    world_.StreamOf(member.stream)->Cancel(world_.judge().watches()[*index].id);
  }
  Await(fmt::format("an answer to every cancel of group {}", step.group), kPatience, [&] {
    return EveryMember(step.group,
                       [](const WatchState& watch) { return watch.end != WatchEnd::kOpen; });
  });
  return {};
}

Status Executor::Do(const ResumeStep& step) {
  world_.PumpAll();
  const std::string name = fmt::format("resumed/{}", step.as);
  WP_ASSIGN_OR_RETURN(WatchStream* const stream, world_.Stream(name));
  for (const Member& member : groups_.at(step.group)) {
    const auto index = world_.judge().Find(member.stream, member.ordinal);
    if (!index) return Fail(StatusCode::kInternal, "group {} was never asked for", step.group);
    const WatchState& before = world_.judge().watches()[*index];
    world_.Mark(ResumeMark({.stream = member.stream,
                            .ordinal = member.ordinal,
                            .next_stream = stream->id(),
                            .next_ordinal = static_cast<std::uint32_t>(groups_[step.as].size())}));
    const std::uint32_t ordinal = stream->Create(
        {.key = before.key, .range_end = before.range_end, .start = before.resume_at});
    groups_[step.as].push_back({stream->id(), ordinal});
  }
  return Do(AwaitCreatedStep{step.as});
}

Result<bool> Executor::ToldProgress(const std::string& name, MustTellProgressStep::When when,
                                    Duration limit) {
  WP_ASSIGN_OR_RETURN(WatchStream* const stream, world_.Stream(name));
  const auto answers = [&] {
    std::uint64_t count = 0;
    for (const WatchState& watch : world_.judge().watches()) {
      if (watch.stream == stream->id()) count += watch.progress_answers;
    }
    return count;
  };
  world_.PumpAll();
  const std::uint64_t before = answers();
  const Deadline deadline = Within(limit);
  bool told = false;
  while (!told && !deadline.expired() && !world_.GivesUp()) {
    if (when == MustTellProgressStep::When::kAsked) stream->RequestProgress();
    told = world_.PumpUntil([&] { return answers() > before; }, Within(kProgressEvery));
  }
  return told;
}

Status Executor::Do(const AwaitProgressStep& step) {
  WP_ASSIGN_OR_RETURN(const bool told,
                      ToldProgress(step.stream, MustTellProgressStep::When::kAsked, kPatience));
  if (!told) {
    unproven_.push_back("no answer to a progress request on a stream that is caught up");
  }
  return {};
}

Status Executor::Do(const MustTellProgressStep& step) {
  WP_ASSIGN_OR_RETURN(const bool told, ToldProgress(step.stream, step.when, step.limit));
  if (told || world_.GivesUp()) return {};
  const bool asked = step.when == MustTellProgressStep::When::kAsked;
  findings_.push_back(
      {.guarantee = Guarantee::kBookmarkable,
       .watch = fmt::format("every watch of stream {}", step.stream),
       .expected =
           fmt::format("progress told within {} ms, as {} and there is nothing left to deliver",
                       std::chrono::duration_cast<std::chrono::milliseconds>(step.limit).count(),
                       asked ? "it was asked for again and again" : "the watches wish for it"),
       .observed = "none",
       .like = std::string(like::kNoProgress),
       .evidence = {world_.recorder().last()},
       .at = world_.recorder().Now()});
  return {};
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
    const std::string name = fmt::format("side/probe/{}", ++probes_);
    const std::string key = fmt::format("wp-probe/{}", probes_);
    WP_ASSIGN_OR_RETURN(const Revision revision, world_.kv().Put(world_.Placed(key), "probe"));
    head_ = std::max(head_, revision);
    // Its one event lies in the past, so only the catch-up loop can bring it.
    WP_RETURN_IF_ERROR(Do(WatchStep{
        .group = name, .key = key, .start = {.number = revision.value}, .stream = "side"}));
    Await("a pass of the target's catch-up loop", kPatience, [&] {
      return EveryMember(name, [](const WatchState& watch) { return watch.events > 0; });
    });
  }
  return {};
}

Status Executor::Do(const InjectStep& step) {
  FaultParameters parameters = step.parameters;
  if (const auto found = spec_.faults.find(step.fault); found != spec_.faults.end()) {
    for (const auto& [name, value] : found->second) parameters[name] = value;
  }
  WP_ASSIGN_OR_RETURN(auto fault, MakeFault(step.fault, parameters));
  if (!spec_.no_faults) WP_RETURN_IF_ERROR(fault->Arm(world_.ports()));
  faults_[step.fault] = std::move(fault);
  RecordFault(step.fault, "armed");
  return {};
}

Status Executor::Do(const AwaitFeltStep& step) {
  Fault& fault = *faults_.at(step.fault);
  // Without a proxy, or without faults at all, the receipt says so and waiting would change
  // nothing.
  if (spec_.no_faults || world_.ports().proxies == nullptr) return {};
  world_.PumpUntil(
      [&] {
        fault.Observe(world_.ports());
        return fault.felt();
      },
      Within(kFeltPatience));
  return {};
}

Status Executor::Do(const HealStep& step) {
  WP_RETURN_IF_ERROR(faults_.at(step.fault)->Heal(world_.ports()));
  RecordFault(step.fault, "healed");
  return {};
}

Status Executor::Do(const HoldStep& step) {
  world_.PumpUntil([] { return false; }, Within(step.duration));
  return {};
}

void Executor::Await(const std::string& what, Duration limit, const std::function<bool()>& done) {
  const Deadline deadline = Within(limit);
  if (world_.PumpUntil(done, deadline) || world_.GivesUp()) return;
  unproven_.push_back(fmt::format("waited {} ms for {}", deadline.budget().count(), what));
}

bool Executor::EveryMember(const std::string& group,
                           const std::function<bool(const WatchState&)>& fact) {
  const auto& members = groups_.at(group);
  return std::all_of(members.begin(), members.end(), [&](const Member& member) {
    const auto index = world_.judge().Find(member.stream, member.ordinal);
    return index && fact(world_.judge().watches()[*index]);
  });
}

Revision Executor::Resolve(const RevisionRef& ref) const {
  switch (ref.base) {
    case RevisionRef::Base::kAbsolute:
      return Revision(ref.number);
    case RevisionRef::Base::kHead:
      return head_.plus(ref.number);
    case RevisionRef::Base::kWrite:
      return writes_.at(static_cast<std::size_t>(ref.number));
  }
  return {};
}

std::optional<double> Executor::WatcherGauge() { return world_.ports().metric(kWatcherGauge); }

void Executor::RecordFault(const std::string& name, const std::string& phase) {
  const FaultReceipt receipt = faults_.at(name)->receipt();
  const nlohmann::ordered_json text{
      {"fault", name}, {"phase", phase}, {"fired", receipt.fired}, {"measured", receipt.measured}};
  world_.recorder().Append(
      {.kind = EntryKind::kFault, .at = world_.recorder().Now(), .text = text.dump()});
}

void Executor::HealAll() {
  for (const auto& [name, fault] : faults_) {
    if (const Status healed = fault->Heal(world_.ports()); !healed.ok()) {
      unproven_.push_back(fmt::format("healing {}: {}", name, healed.message()));
    }
  }
  StopLoads();
}

// One key of each watched range, so that every watch is owed something new; and past the start of
// the furthest watch, since a watch on the future is only complete when the future has come.
Status Executor::WriteSentinels() {
  std::set<std::string> keys;
  Revision furthest{};
  for (const WatchState& watch : world_.judge().watches()) {
    if (watch.end != WatchEnd::kOpen) continue;
    keys.insert(watch.key);
    furthest = std::max(furthest, watch.start);
  }
  int written = 0;
  do {
    for (const std::string& key : keys) {
      WP_ASSIGN_OR_RETURN(const Revision revision, world_.kv().Put(key, "sentinel"));
      head_ = std::max(head_, revision);
      ++written;
    }
  } while (!keys.empty() && head_ < furthest && written < kMostSentinels);
  return {};
}

Status Executor::Converge() {
  HealAll();
  if (world_.StopsEarly()) return {};
  world_.Mark("healed");
  const Deadline limit = Within(plan_.converge_limit);
  // Twice, because whatever was still queued for a watch when it got its first sentinel comes
  // before the second.
  for (int round = 0; round < 2; ++round) {
    WP_RETURN_IF_ERROR(WriteSentinels());
    world_.Mark("sentinels");
    const bool settled = world_.PumpUntil(
        [&] {
          return world_.judge().known_through() >= head_ && world_.judge().Unsettled().empty();
        },
        limit);
    if (!settled) break;  // the judge tells what is missing
  }
  world_.Mark("converged");
  if (world_.GivesUp()) return {};
  return world_.ReadBack();
}

std::vector<ReceiptRecord> Executor::receipts() const {
  const auto seconds = [](Duration d) { return std::chrono::duration<double>(d).count(); };
  std::vector<ReceiptRecord> records;
  for (const auto& [name, fault] : faults_) {
    const FaultReceipt receipt = fault->receipt();
    records.push_back({.fault = name,
                       .fired = receipt.fired,
                       .required = true,
                       .armed_at = seconds(receipt.armed_at),
                       .healed_at = seconds(receipt.healed_at),
                       .measured = receipt.measured,
                       .text = receipt.text});
  }
  return records;
}

}  // namespace watchproof
