// SPDX-License-Identifier: Apache-2.0
#include "cases/support/schedule.h"

#include <algorithm>
#include <utility>

#include "harness/scenario/steps/stream.h"

namespace watchproof {
namespace {

using Kind = Disturbance::Kind;

std::vector<Disturbance> Everything(Prng& prng) {
  const auto micros = [&](std::int64_t least, std::int64_t most) {
    return fmt::format("{}us", prng.Between(least, most));
  };
  const std::string bytes = fmt::format("{}B", prng.Between(100, 20'000));
  const std::string response = fmt::format("{}", prng.Between(1, 5));
  return {
      {Kind::kSlow,
       "latency",
       {{"delay", micros(1000, 4000)},
        {"jitter", micros(0, 500)},
        {"spread", prng.Chance(0.5) ? "uniform" : "normal"}}},
      {Kind::kSlow, "bandwidth", {{"rate", "4MiB"}}},
      {Kind::kSlow, "late-accept", {{"delay", micros(50'000, 150'000)}}},
      {Kind::kRefuses, "refuse"},
      {Kind::kHold, "stall"},
      {Kind::kHold, "hold-stream", {{"when", "response"}, {"count", response}}},
      {Kind::kHold, "withhold-window"},
      {Kind::kReader, "slow-reader"},
      {Kind::kCut, "reset"},
      {Kind::kCut, "close"},
      {Kind::kNeedsFlow, "reset", {{"after-bytes", bytes}}},
      {Kind::kNeedsFlow, "close", {{"after-bytes", bytes}}},
      {Kind::kNeedsFlow, "half-close", {{"after-bytes", bytes}}},
      {Kind::kNeedsFlow, "half-open"},
      {Kind::kNeedsFlow, "kill"},
      {Kind::kNeedsAnswer, "black-hole"},
      {Kind::kStreamCut, "reset-stream", {{"when", "response"}, {"count", response}}},
      {Kind::kStreamCut, "goaway", {{"when", "bytes"}, {"bytes", bytes}}},
      {Kind::kStreamCut, "cut-after-event", {{"how", "connection"}}},
  };
}

}  // namespace

Schedule::Schedule(Scenario& scenario, ScheduleOptions options)
    : scenario_(scenario),
      options_(std::move(options)),
      prng_(scenario.Random("schedule")),
      left_(Everything(prng_)),
      group_(options_.group) {
  prng_.Shuffle(left_);
}

const Disturbance* Schedule::Draw(const std::vector<Kind>& kinds) {
  const auto found = std::find_if(left_.begin(), left_.end(), [&](const Disturbance& disturbance) {
    return std::find(kinds.begin(), kinds.end(), disturbance.kind) != kinds.end();
  });
  return found == left_.end() ? nullptr : &*found;
}

std::map<std::string, std::string> Schedule::ParametersOf(const Disturbance& disturbance) const {
  std::map<std::string, std::string> parameters = disturbance.parameters;
  if (disturbance.kind == Kind::kReader) parameters["stream"] = stream_;
  return parameters;
}

void Schedule::AwaitMoment() {
  using enum WhenStep::Moment;
  WhenStep when{.moment = prng_.Pick(std::vector{kResponse, kBytes, kRevision}), .of = group_};
  when.count = when.moment == kBytes ? prng_.Between(1, 30'000) : prng_.Between(1, 5);
  when.revision = AtHead(-prng_.Between(0, 4));
  when.limit = 100ms;
  scenario_.Add(when);
}

void Schedule::Inject(const Disturbance& disturbance) {
  const std::string fault = disturbance.fault;
  const bool slow = disturbance.kind == Kind::kSlow;
  const bool needs_calm = disturbance.kind == Kind::kHold || disturbance.kind == Kind::kReader ||
                          disturbance.kind == Kind::kNeedsFlow;
  options_.write(5, 10);
  AwaitMoment();
  // Watches that are behind already, on a slow path, give no evidence that they fall behind now,
  // and a target that waits for its flow-control window sends nothing to a client that is gone.
  if (needs_calm) scenario_.AwaitDelivered(group_);
  scenario_.Inject(fault, ParametersOf(disturbance));
  armed_.push_back(fault);
  std::erase_if(left_, [&](const Disturbance& one) { return one.fault == fault; });
  options_.write(60, 90);
  scenario_.AwaitEffect(fault);
  // On a slow path all watches are behind for a while, which would hide that some are held back.
  if (slow) scenario_.AwaitDelivered(group_);
}

void Schedule::Heal(const std::string& fault) {
  scenario_.Heal(fault);
  std::erase(armed_, fault);
}

void Schedule::Round() {
  // No event is on its way when a later round begins, so that progress is answered at once.
  if (++rounds_ > 1) {
    scenario_.Add(RequestProgressStep{stream_});
    scenario_.Add(WhenStep{.moment = WhenStep::Moment::kProgress, .of = group_});
  }
  for (std::int64_t slow = prng_.Between(0, 2); slow > 0; --slow) {
    if (const Disturbance* disturbance = Draw({Kind::kSlow})) Inject(*disturbance);
  }
  const Disturbance* const refuses = prng_.Chance(0.3) ? Draw({Kind::kRefuses}) : nullptr;
  if (refuses) Inject(*refuses);
  std::vector<Kind> cuts = {Kind::kCut, Kind::kStreamCut, Kind::kNeedsFlow};
  if (!refuses) cuts.push_back(Kind::kNeedsAnswer);
  if (const Disturbance* hold = prng_.Chance(0.7) ? Draw({Kind::kHold, Kind::kReader}) : nullptr) {
    const bool reader = hold->kind == Kind::kReader;
    const std::string fault = hold->fault;
    Inject(*hold);
    if (reader || prng_.Chance(0.3)) {
      Heal(fault);
    } else {
      cuts = {Kind::kCut};
    }
  }
  const Disturbance* const cut = Draw(cuts);
  if (cut) Inject(*cut);
  prng_.Shuffle(armed_);
  while (!armed_.empty()) {
    Heal(std::string(armed_.back()));
    options_.write(1, 10);
  }
  if (cut) {
    const std::string next = fmt::format("round {}", rounds_);
    // Responses that still arrived on the old stream would be delivered twice.
    scenario_.Add(AwaitEndedStep{group_});
    scenario_.Resume(group_, next);
    group_ = next;
    stream_ = "resumed/" + next;
  }
  options_.write(10, 20);
  scenario_.AwaitDelivered(group_);
}

}  // namespace watchproof
