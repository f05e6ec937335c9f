// SPDX-License-Identifier: Apache-2.0
#include "harness/driver/plan.h"

#include <nlohmann/json.hpp>

#include "harness/base/prng.h"

namespace watchproof {
namespace {

// Keys keep the order in which they are written: the file is read by people.
using Json = nlohmann::ordered_json;

struct ToJson {
  Json operator()(const PutStep& s) const {
    Json json{{"op", "put"},
              {"key", s.key},
              {"value", {{"seed", s.value.seed}, {"bytes", s.value.bytes}}}};
    if (!s.lease.empty()) json["lease"] = s.lease;
    return json;
  }
  Json operator()(const DeleteStep& s) const {
    Json json{{"op", "delete"}, {"key", s.key}};
    if (!s.range_end.empty()) json["range_end"] = s.range_end;
    return json;
  }
  Json operator()(const TxnStep& s) const {
    Json writes = Json::array();
    for (const auto& write : s.writes) writes.push_back(std::visit(*this, write));
    return {{"op", "txn"}, {"writes", writes}};
  }
  Json operator()(const RefusedTxnStep& s) const {
    return {{"op", "refused txn"},
            {"write", (*this)(s.write)},
            {"key", s.key},
            {"at", s.at.ToString()}};
  }
  Json operator()(const CompactStep& s) const {
    Json json{{"op", "compact"}, {"at", s.at.ToString()}};
    if (s.at_once) json["at_once"] = true;
    if (s.refused) json["refused"] = true;
    return json;
  }
  Json operator()(const LeaseStep& s) const {
    return {{"op", "lease"}, {"lease", s.lease}, {"ttl", s.ttl.count()}};
  }
  Json operator()(const RevokeStep& s) const { return {{"op", "revoke"}, {"lease", s.lease}}; }
  Json operator()(const WatchStep& s) const {
    Json json{{"op", "watch"},
              {"group", s.group},
              {"stream", s.stream},
              {"count", s.count},
              {"key", s.key}};
    if (!s.range_end.empty()) json["range_end"] = s.range_end;
    json["start"] = s.start.ToString();
    if (s.first_id != 0) json["first_id"] = s.first_id;
    if (s.previous_values) json["prev_kv"] = true;
    if (s.progress_notify) json["progress_notify"] = true;
    if (s.fragment) json["fragment"] = true;
    if (s.no_puts) json["no_puts"] = true;
    if (s.no_deletes) json["no_deletes"] = true;
    if (!s.user.empty()) json["user"] = s.user;
    if (s.member != 1) json["member"] = s.member;
    if (s.require_leader) json["require_leader"] = true;
    return json;
  }
  Json operator()(const AuthStep& s) const {
    Json readers = Json::array();
    for (const AuthStep::Reader& reader : s.readers) {
      readers.push_back(
          {{"user", reader.user}, {"key", reader.key}, {"range_end", reader.range_end}});
    }
    return {{"op", "auth"}, {"readers", readers}};
  }
  Json operator()(const LoadStep& s) const {
    Json json{{"op", "load"},   {"load", s.load}, {"clients", s.clients}, {"calls", s.calls},
              {"keys", s.keys}, {"key", s.key},   {"load_seed", s.seed},  {"direct", s.direct}};
    if (s.puts_only) json["puts_only"] = true;
    if (s.member != 1) json["member"] = s.member;
    return json;
  }
  Json operator()(const AwaitLoadStep& s) const {
    return {{"op", "await load"}, {"load", s.load}, {"lost", s.lost}};
  }
  Json operator()(const ChurnStep& s) const {
    return {{"op", "churn"},
            {"group", s.group},
            {"stream", s.stream},
            {"count", s.count},
            {"key", s.key},
            {"range_end", s.range_end},
            {"start", s.start.ToString()},
            {"first_id", s.first_id}};
  }
  Json operator()(const CancelStep& s) const { return {{"op", "cancel"}, {"group", s.group}}; }
  Json operator()(const ResumeStep& s) const {
    Json json{{"op", "resume"}, {"group", s.group}, {"as", s.as}};
    if (s.member != 1) json["member"] = s.member;
    return json;
  }
  Json operator()(const UseMemberStep& s) const {
    return {{"op", "use member"}, {"member", s.member}};
  }
  Json operator()(const AwaitCaughtUpStep& s) const {
    return {{"op", "await caught up"}, {"member", s.member}};
  }
  Json operator()(const AwaitSnapshotStep& s) const {
    return {{"op", "await snapshot"}, {"member", s.member}};
  }
  Json operator()(const MustEndStep& s) const {
    return {{"op", "must end"}, {"stream", s.stream}, {"us", s.limit.count() / 1000}};
  }
  Json operator()(const MustDeliverStep& s) const {
    return {{"op", "must deliver"}, {"group", s.group}, {"us", s.limit.count() / 1000}};
  }
  Json operator()(const MustReportProgressStep& s) const {
    return {{"op", "must report progress"},
            {"asked", s.when == MustReportProgressStep::When::kAsked},
            {"stream", s.stream},
            {"us", s.limit.count() / 1000}};
  }
  Json operator()(const RequestProgressStep& s) const {
    return {{"op", "request progress"}, {"stream", s.stream}};
  }
  Json operator()(const AwaitCreatedStep& s) const {
    return {{"op", "await created"}, {"group", s.group}};
  }
  Json operator()(const AwaitEndedStep& s) const {
    return {{"op", "await ended"}, {"group", s.group}};
  }
  Json operator()(const AwaitDeliveredStep& s) const {
    return {{"op", "await delivered"}, {"group", s.group}};
  }
  Json operator()(const AwaitExpiredStep& s) const {
    return {{"op", "await expired"}, {"lease", s.lease}};
  }
  Json operator()(const AwaitProgressStep& s) const {
    return {{"op", "await progress"}, {"stream", s.stream}};
  }
  Json operator()(const AwaitRegisteredStep& s) const {
    return {{"op", "await registered"}, {"watchers", s.watchers}};
  }
  Json operator()(const AwaitSyncPassesStep& s) const {
    return {{"op", "await sync passes"}, {"passes", s.passes}};
  }
  Json operator()(const InjectStep& s) const {
    return {{"op", "inject"},
            {"fault", s.fault},
            {"parameters", s.parameters},
            {"optional", s.optional}};
  }
  Json operator()(const AwaitEffectStep& s) const {
    return {{"op", "await effect"}, {"fault", s.fault}};
  }
  Json operator()(const HealStep& s) const { return {{"op", "heal"}, {"fault", s.fault}}; }
  Json operator()(const WhenStep& s) const {
    return {
        {"op", "when"},     {"moment", Name(s.moment)},          {"of", s.of},
        {"count", s.count}, {"revision", s.revision.ToString()}, {"us", s.limit.count() / 1000}};
  }
  Json operator()(const HoldStep& s) const {
    return {{"op", "hold"}, {"us", s.duration.count() / 1000}};
  }
};

std::string Dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// How long a step waits without waiting for a fact.
struct WaitOf {
  Duration operator()(const HoldStep& step) const { return step.duration; }
  Duration operator()(const MustEndStep& step) const { return step.limit; }
  Duration operator()(const MustDeliverStep& step) const { return step.limit; }
  Duration operator()(const MustReportProgressStep& step) const { return step.limit; }
  template <typename Other>
  Duration operator()(const Other&) const {
    return {};
  }
};

}  // namespace

std::string RevisionRef::ToString() const {
  switch (base) {
    case Base::kAbsolute:
      return number == 0 ? "now" : fmt::format("{}", number);
    case Base::kHead:
      return number == 0 ? "head" : fmt::format("head{:+}", number);
    case Base::kWrite:
      return fmt::format("write {}", number);
  }
  return "?";
}

std::string_view Name(WhenStep::Moment moment) {
  using enum WhenStep::Moment;
  switch (moment) {
    case kResponse:
      return "response";
    case kBytes:
      return "bytes";
    case kRevision:
      return "revision";
    case kProgress:
      return "progress";
    case kCalls:
      return "calls";
  }
  return "?";
}

std::string ValueRef::Make() const { return Prng(seed).Word(bytes); }

std::vector<std::string> ToJsonLines(const Plan& plan, const PlanHeader& header) {
  const Json begin{{"case", header.case_name},
                   {"target", header.target},
                   {"seed", header.seed},
                   {"attempt", header.attempt}};
  std::vector<std::string> lines;
  const auto add = [&](Json rest) {
    Json line = begin;
    line.update(rest);
    lines.push_back(Dump(line));
  };
  Json whole{{"steps", plan.steps.size()}, {"converge_us", plan.converge_limit.count() / 1000}};
  if (plan.cluster.members != 1) {
    whole["members"] = plan.cluster.members;
    whole["snapshot_count"] = plan.cluster.snapshot_count;
  }
  if (plan.permit_compacted_at_the_floor) whole["permit_compacted_at_the_floor"] = true;
  add(std::move(whole));
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    Json step{{"step", i}};
    step.update(std::visit(ToJson{}, plan.steps[i]));
    add(std::move(step));
  }
  return lines;
}

std::vector<std::string> StepLines(const Plan& plan) {
  std::vector<std::string> lines;
  for (const Step& step : plan.steps) lines.push_back(Dump(std::visit(ToJson{}, step)));
  return lines;
}

Status CheckWaits(const Plan& plan, Duration time_for_steps) {
  Duration sum{};
  for (const Step& step : plan.steps) sum += std::visit(WaitOf(), step);
  if (sum <= time_for_steps) return {};
  const auto seconds = [](Duration d) { return std::chrono::duration<double>(d).count(); };
  return Fail(StatusCode::kInvalidArgument,
              "the waits of the plan add up to {:.1f} s; expected at most {:.1f} s, which the time "
              "limit of the case leaves to its steps",
              seconds(sum), seconds(time_for_steps));
}

}  // namespace watchproof
