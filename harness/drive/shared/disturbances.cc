// SPDX-License-Identifier: Apache-2.0
#include "harness/drive/shared/disturbances.h"

#include <thread>
#include <utility>

#include "harness/environment/fault_line.h"

namespace watchproof::explore {
namespace {

using How = Disturb::How;

constexpr Duration kEffectLimit = 2s;
constexpr Duration kLook = 2ms;
constexpr Duration kLongest = 1s;
constexpr Duration kMoment = 300ms;

// A cut that is too short for an election shows by what was swallowed.
bool TookEffect(const FaultReceipt& receipt) {
  const auto bytes = receipt.measured.find("bytes");
  return receipt.fired || (bytes != receipt.measured.end() && bytes->second > 0);
}

}  // namespace

Disturbances::Disturbances(Environment& environment, Recorder& recorder)
    : environment_(environment), recorder_(recorder) {
  ports_.proxies = &environment.peer_links();
  ports_.servers = environment.ServersForFaults();
  ports_.now = [&recorder] { return recorder.Now(); };
}

Disturbances::Peace::Peace(Disturbances& events) : events_(events) {
  MutexLock lock(events_.mu_);
  while (events_.held_ || events_.wanted_) events_.changed_.Wait(events_.mu_);
  ++events_.at_peace_;
}

Disturbances::Peace::~Peace() {
  MutexLock lock(events_.mu_);
  --events_.at_peace_;
  events_.changed_.NotifyAll();
}

Result<bool> Disturbances::Begin(std::uint32_t script, const Disturb& what) {
  if (what.member > environment_.members()) {
    return Fail(StatusCode::kFailedPrecondition, "there is no member {}", what.member);
  }
  if (!HeldBy(script) && !Take(script)) return false;
  const Status done = Act(what);
  {
    MutexLock lock(mu_);
    Note(what);
  }
  if (!armed_) WP_RETURN_IF_ERROR(LetGo());
  WP_RETURN_IF_ERROR(done);
  return true;
}

bool Disturbances::Take(std::uint32_t script) {
  MutexLock lock(mu_);
  if (held_ || wanted_) return false;
  wanted_ = true;
  const TimePoint until = Clock::now() + kMoment;
  while (at_peace_ > 0 && changed_.WaitUntil(mu_, until)) continue;
  wanted_ = false;
  changed_.NotifyAll();
  if (at_peace_ > 0) return false;
  held_ = true;
  held_from_ = events_.size();
  held_since_ = Clock::now();
  holder_ = script;
  return true;
}

Status Disturbances::End(std::uint32_t script) { return HeldBy(script) ? LetGo() : Status(); }

bool Disturbances::IsOverdue(std::uint32_t script) const {
  return HeldBy(script) && Clock::now() - held_since_.load() > kLongest;
}

// One that is isolated, or stands still, does not lead: no call of the others is lost with it.
Status Disturbances::Act(const Disturb& what) {
  const bool leads = what.how == How::kLead;
  if (armed_ && !(leads && what.member != armed_->member)) {
    return Fail(StatusCode::kFailedPrecondition, "member {} is disturbed already", armed_->member);
  }
  if (leads) return Lead(what.member);
  WP_ASSIGN_OR_RETURN(const bool led, Leads(what.member));
  if (led) WP_RETURN_IF_ERROR(Lead(1));
  const bool pauses = what.how == How::kPause;
  const std::string name = pauses ? "pause" : "isolate";
  WP_ASSIGN_OR_RETURN(auto fault, MakeFault(name, {{"member", std::to_string(what.member)}}));
  Record(name, "armed", {});
  (pauses ? paused_ : apart_) = what.member;
  armed_ = Armed{.name = name, .member = what.member, .fault = std::move(fault)};
  return armed_->fault->Arm(ports_);
}

Result<bool> Disturbances::Leads(int member) {
  WP_ASSIGN_OR_RETURN(const ServerStatus status,
                      environment_.target(member).Ask(Within(kEffectLimit)));
  return status.member == status.leader;
}

Status Disturbances::Lead(int member) {
  WP_ASSIGN_OR_RETURN(const bool leads, Leads(member));
  if (leads) return {};
  const std::string name = "move-leader";
  WP_ASSIGN_OR_RETURN(const auto fault,
                      MakeFault(name, {{"to", std::to_string(member)}, {"seen-by", "itself"}}));
  Record(name, "armed", {});
  const Status moved = fault->Arm(ports_);
  // There may be no leader to be asked.
  const bool asked = moved.ok() && fault->receipt().measured.at("handed_over") != 0;
  for (const Deadline until = Within(kEffectLimit); asked && !until.expired();) {
    fault->Observe(ports_);
    if (fault->took_effect()) break;
    std::this_thread::sleep_for(kLook);
  }
  [[maybe_unused]] const Status over = fault->Heal(ports_);
  const FaultReceipt receipt = fault->receipt();
  Record(name, "healed", receipt);
  WP_RETURN_IF_ERROR(moved);
  if (!receipt.fired) return Fail(StatusCode::kFailedPrecondition, "{}", receipt.text);
  MutexLock lock(mu_);
  ++happened_[name];
  return {};
}

Status Disturbances::LetGo() {
  const std::optional<Armed> lasted = std::move(armed_);
  armed_.reset();
  Status done;
  if (lasted) {
    lasted->fault->Observe(ports_);
    done = lasted->fault->Heal(ports_);
    const FaultReceipt receipt = lasted->fault->receipt();
    Record(lasted->name, "healed", receipt);
    recovers_until_ = (Clock::now().time_since_epoch() + kRecovers).count();
    if (done.ok() && !TookEffect(receipt)) {
      done = Fail(StatusCode::kFailedPrecondition, "{}: {}", lasted->name, receipt.text);
    }
  }
  MutexLock lock(mu_);
  if (lasted) Note(Calm{});
  if (lasted && done.ok()) ++happened_[lasted->name];
  held_ = false;
  paused_ = 0;
  holder_ = 0;
  changed_.NotifyAll();
  return done;
}

void Disturbances::Record(const std::string& fault, std::string_view phase,
                          const FaultReceipt& receipt) {
  recorder_.Append({.kind = EntryKind::kFault,
                    .at = recorder_.Now(),
                    .text = FaultLineText(fault, phase, receipt)});
}

void Disturbances::Note(const Step& step) {
  events_.push_back(step);
  count_ = events_.size();
}

std::uint64_t Disturbances::over() {
  MutexLock lock(mu_);
  return held_ ? held_from_ : events_.size();
}

std::vector<Step> Disturbances::Since(std::uint64_t& count) {
  if (count == count_) return {};
  MutexLock lock(mu_);
  const auto first = events_.begin() + static_cast<std::ptrdiff_t>(count);
  count = events_.size();
  return {first, events_.end()};
}

std::map<std::string, std::uint64_t> Disturbances::happened() {
  MutexLock lock(mu_);
  return happened_;
}

}  // namespace watchproof::explore
