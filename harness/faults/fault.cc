// SPDX-License-Identifier: Apache-2.0
#include "harness/faults/fault.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <thread>

namespace watchproof {
namespace {

// More than any release needs, since the machine may be busy.
constexpr Duration kRestartLimit = 20s;
constexpr Duration kAnswerLimit = 5s;

std::vector<std::vector<FaultKind> (*)()>& Registered() {
  static std::vector<std::vector<FaultKind> (*)()> registered;
  return registered;
}
const std::vector<FaultKind>& Kinds() {
  static const std::vector<FaultKind> kinds = [] {
    std::vector<FaultKind> all;
    for (const auto& made : Registered()) {
      for (FaultKind& kind : made()) all.push_back(std::move(kind));
    }
    std::sort(all.begin(), all.end(), [](const FaultKind& left, const FaultKind& right) {
      return left.info.name < right.info.name;
    });
    return all;
  }();
  return kinds;
}
const FaultKind* Find(const std::string& name) {
  const auto it = std::find_if(Kinds().begin(), Kinds().end(),
                               [&name](const FaultKind& kind) { return kind.info.name == name; });
  return it == Kinds().end() ? nullptr : &*it;
}

}  // namespace

std::int64_t SlowWatchers::Now(const FaultPorts& ports) {
  if (!before_ || ports.now() < next_page_) return last_;
  last_ = Read(ports).value_or(0);
  next_page_ = ports.now() + kPageEvery;
  return last_;
}

std::string SlowWatchers::Describe(std::int64_t most, FaultReceipt& receipt) const {
  receipt.measured["slow_watchers_before"] = *before_;
  receipt.measured["slow_watchers"] = most;
  return fmt::format("the target's slow-watcher gauge went from {} to {}", *before_,
                     std::max(most, *before_));
}

std::optional<std::int64_t> SlowWatchers::Read(const FaultPorts& ports) {
  const auto gauge = ports.metric("etcd_debugging_mvcc_slow_watcher_total");
  if (!gauge) return std::nullopt;
  return static_cast<std::int64_t>(*gauge);
}

Duration GapOf(const FaultPorts& ports, Duration armed_at) {
  return std::min(ports.silence(), Duration(ports.now() - armed_at));
}

Status Fault::Arm(FaultPorts& ports) {
  armed_at_ = ports.now();
  return Act(ports);
}

void Fault::Observe(FaultPorts& ports) {
  if (acts_) Look(ports);
}

Status Fault::Heal(FaultPorts& ports) {
  if (!acts_) return {};
  Look(ports);
  acts_ = false;
  Status undone = Undo(ports);
  if (healed_at_ == Duration::zero()) healed_at_ = ports.now();
  return undone;
}

FaultReceipt Fault::receipt() const {
  FaultReceipt receipt{.fired = took_effect(), .armed_at = armed_at_, .healed_at = healed_at_};
  Describe(receipt);
  return receipt;
}

FaultRegistration::FaultRegistration(std::vector<FaultKind> (*kinds)()) {
  Registered().push_back(kinds);
}

std::vector<FaultInfo> KnownFaults() {
  std::vector<FaultInfo> infos;
  for (const FaultKind& kind : Kinds()) infos.push_back(kind.info);
  return infos;
}

std::optional<FaultInfo> FindFault(const std::string& name) {
  const FaultKind* kind = Find(KindOf(name));
  return kind == nullptr ? std::nullopt : std::optional(kind->info);
}

std::string KindOf(const std::string& name) { return name.substr(0, name.find('/')); }

Result<std::unique_ptr<Fault>> MakeFault(const std::string& full_name,
                                         const FaultParameters& parameters) {
  const std::string name = KindOf(full_name);
  if (const FaultKind* kind = Find(name)) {
    WP_ASSIGN_OR_RETURN(const proxy::ParameterValues values,
                        proxy::ParseParameters(name, kind->info.parameters, parameters));
    return kind->make(values);
  }
  std::vector<std::string> names;
  for (const FaultKind& kind : Kinds()) names.push_back(kind.info.name);
  return Fail(StatusCode::kInvalidArgument, "fault \"{}\" is not known; expected one of: {}", name,
              fmt::join(names, ", "));
}

proxy::ParameterInfo MemberParameter(std::string name, std::string default_value) {
  return {.name = std::move(name),
          .kind = proxy::ParameterKind::kNumber,
          .default_value = std::move(default_value),
          .explain = "A member of the cluster, from 1; the first one leads at the start.",
          .least = 1};
}

proxy::ParameterInfo StayDownParameter() {
  return {.name = "stay-down",
          .kind = proxy::ParameterKind::kYesNo,
          .default_value = "no",
          .explain = "Whether it is started again only when healed."};
}

Result<ServerPorts*> ServerOf(FaultPorts& ports, std::int64_t member) {
  const std::size_t count = ports.servers.size();
  const auto index = static_cast<std::size_t>(member - 1);
  if (index < count) return &ports.servers[index];
  return Fail(StatusCode::kFailedPrecondition, "there is no member {}; the target has {}", member,
              count);
}

Result<ServerStatus> StartAgain(Target& target, const std::string& release) {
  WP_RETURN_IF_ERROR(target.Restart(Within(kRestartLimit), release));
  return target.Ask(Within(kAnswerLimit));
}

Result<std::vector<ServerStatus>> StartTogether(FaultPorts& ports) {
  std::vector<Result<ServerStatus>> answers(ports.servers.size(), ServerStatus());
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    threads.emplace_back(
        [&server = ports.servers[i], &one = answers[i]] { one = StartAgain(*server.target); });
  }
  for (std::thread& thread : threads) thread.join();
  std::vector<ServerStatus> all;
  for (const Result<ServerStatus>& one : answers) {
    if (!one.has_value()) return one.error();
    all.push_back(*one);
  }
  return all;
}

Status AsRefusal(Status answer) {
  if (answer.code() != StatusCode::kUnimplemented) return answer;
  return Status(StatusCode::kUnknown, "unimplemented: " + answer.message());
}

std::int64_t Milliseconds(Duration duration) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(duration).count();
}

}  // namespace watchproof
