// SPDX-License-Identifier: Apache-2.0
#include "harness/faults/peer_fault.h"

#include <algorithm>

namespace watchproof {
namespace {

constexpr Duration kAnswerLimit = 250ms;
constexpr Duration kAskEvery = 20ms;

}  // namespace

std::vector<PeerFault::Link> LinksBetween(const std::vector<int>& some,
                                          const std::vector<int>& others) {
  std::vector<PeerFault::Link> links;
  for (const int one : some) {
    for (const int other : others) {
      links.push_back({one, other});
      links.push_back({other, one});
    }
  }
  return links;
}

std::vector<PeerFault::Link> LinksOfOne(int member, int members) {
  std::vector<int> others;
  for (int other = 1; other <= members; ++other) {
    if (other != member) others.push_back(other);
  }
  return LinksBetween({member}, others);
}

Status PeerFault::Arm(FaultPorts& ports) {
  armed_at_ = ports.now();
  const auto members = static_cast<int>(ports.servers.size());
  if (members < 2) {
    return Fail(StatusCode::kFailedPrecondition, "{}: the target is not a cluster", name_);
  }
  WP_ASSIGN_OR_RETURN(const std::vector<Link> links, LinksOf(members));
  if (ports.proxies == nullptr) return {};
  for (const ServerPorts& server : ports.servers) {
    WP_ASSIGN_OR_RETURN(const ServerWord word, server.ask(Within(5s)));
    leader_before_ = word.leader;
    term_before_ = std::max(term_before_, word.term);
  }
  for (const Link& link : links) WP_RETURN_IF_ERROR(ArmLink(ports, link));
  links_ = links.size();
  return {};
}

Status PeerFault::ArmLink(FaultPorts& ports, const Link& link) {
  WP_ASSIGN_OR_RETURN(ServerPorts* const from, ServerOf(ports, link.from));
  WP_ASSIGN_OR_RETURN(ServerPorts* const to, ServerOf(ports, link.to));
  // The receiver has dialled, and the messages come as the response.
  WP_RETURN_IF_ERROR(ArmOn(ports, from->peer_path, proxy::Direction::kToClient, to->caller));
  // The sender has dialled, and sends the messages as requests.
  return ArmOn(ports, to->peer_path, proxy::Direction::kToTarget, from->caller);
}

Status PeerFault::ArmOn(FaultPorts& ports, proxy::ProxyId path, proxy::Direction direction,
                        const std::string& caller) {
  proxy::EffectSpec effect = effect_;
  effect.direction = direction;
  effect.caller = caller;
  WP_ASSIGN_OR_RETURN(const proxy::EffectId id, ports.proxies->Arm(path, effect));
  armed_.push_back(id);
  return {};
}

void PeerFault::Observe(FaultPorts& ports) {
  if (armed_.empty() || healed_ || took_effect() || ports.now() - asked_at_ < kAskEvery) return;
  wanted_lag_ ? LookForLag(ports) : LookForElection(ports);
  asked_at_ = ports.now();
}

void PeerFault::LookForElection(FaultPorts& ports) {
  std::int64_t leaderless = 0;
  for (const ServerPorts& server : ports.servers) {
    const auto word = server.ask(Within(kAnswerLimit));
    if (!word.has_value()) continue;
    leaderless += word->leader == 0 ? 1 : 0;
    other_leader_ = other_leader_ || (word->leader != 0 && word->leader != leader_before_);
    term_ = std::max(term_, word->term);
  }
  leaderless_ = std::max(leaderless_, leaderless);
}

// Two members are not asked at the same moment, so a healthy member may lack the latest write. A
// member that still lacks it after the required time is slow.
void PeerFault::LookForLag(FaultPorts& ports) {
  const auto slow = ServerOf(ports, wanted_lag_->member);
  if (!slow.has_value()) return;
  if (ahead_) {
    const auto word = (*slow)->ask(Within(kAnswerLimit));
    if (!word.has_value()) return;
    const bool has_it = word->revision >= ahead_->revision;
    if (!has_it) lag_ = std::max(lag_, Duration(ports.now() - ahead_->at));
    if (has_it) ahead_.reset();
    return;
  }
  for (const ServerPorts& server : ports.servers) {
    if (&server == *slow) continue;
    const auto word = server.ask(Within(kAnswerLimit));
    if (word.has_value()) ahead_ = Ahead{.revision = word->revision, .at = ports.now()};
    return;
  }
}

Status PeerFault::Heal(FaultPorts& ports) {
  if (armed_.empty() || healed_) return {};
  Observe(ports);
  healed_ = true;
  Status trouble;
  for (const proxy::EffectId id : armed_) {
    const auto receipt = ports.proxies->Heal(id);
    if (receipt.has_value()) {
      Note(*receipt);
    } else if (trouble.ok()) {
      trouble = receipt.error();
    }
  }
  healed_at_ = ports.now();
  return trouble;
}

void PeerFault::Note(const proxy::Receipt& receipt) {
  bytes_ += receipt.bytes_swallowed + receipt.bytes_delayed;
}

bool PeerFault::took_effect() const {
  if (armed_.empty()) return false;
  if (wanted_lag_) return lag_ >= wanted_lag_->at_least;
  return leaderless_ > 0 || other_leader_ || term_ > term_before_;
}

FaultReceipt PeerFault::receipt() const {
  FaultReceipt receipt{.fired = took_effect(), .armed_at = armed_at_, .healed_at = healed_at_};
  const auto lag = std::chrono::duration_cast<std::chrono::milliseconds>(lag_).count();
  receipt.measured = {{"links", static_cast<std::int64_t>(links_)},
                      {"bytes", bytes_},
                      {"members_without_leader", leaderless_},
                      {"other_leader", other_leader_},
                      {"term_before", static_cast<std::int64_t>(term_before_)},
                      {"term", static_cast<std::int64_t>(std::max(term_, term_before_))},
                      {"behind_ms", lag}};
  receipt.text =
      armed_.empty()
          ? std::string("never armed: there is no proxy between the members")
          : fmt::format(
                "{} links between members; up to {} members reported no leader, {} other leader "
                "was reported, the term went from {} to {}, a member was up to {} ms behind",
                links_, leaderless_, other_leader_ ? "an" : "no", term_before_,
                std::max(term_, term_before_), lag);
  return receipt;
}

}  // namespace watchproof
