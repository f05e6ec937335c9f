// SPDX-License-Identifier: Apache-2.0
// The faults on the links between the members of a cluster, one row each: messages from one member
// to another are swallowed, delayed or throttled.
//
// A link has a direction, that of the messages. A member dials another member both to receive its
// messages as a response stream and to send its own messages as requests. So one link is one
// direction each of two kinds of connections. They are identified by the name of the dialling
// member.
//
// A cut took effect when a member's own status has changed: it has no leader any more, another
// leader than before, or a higher term. A delay took effect when a member still lacks, after the
// required time, a revision that another member had; that of one link, when enough bytes had to
// wait on it, as neither end need be behind for it.
#include <algorithm>

#include "harness/faults/fault.h"

namespace watchproof {
namespace {

using proxy::ParameterInfo;
using proxy::ParameterKind;
using proxy::ParameterValues;

constexpr Duration kPeerAnswerLimit = 250ms;
constexpr Duration kAskEvery = 20ms;
constexpr const char* kHeldUp = "at-least";
// Healthy members are a few milliseconds apart.
constexpr Duration kLeastLag = 25ms;
// In a smaller cluster all members are neighbours.
constexpr std::int64_t kSmallestRing = 4;

// The messages that `from` sends to `to`.
struct Link {
  std::int64_t from = 1;
  std::int64_t to = 1;
};

struct PeerRow {
  std::string name;
  std::string explain;
  std::vector<ParameterInfo> parameters;
  // Requires: at least two members.
  Result<std::vector<Link>> (*links)(std::int64_t members, const ParameterValues& given);
  // What it does to the links: cut them, or make them late by an effect with one parameter, which
  // is the fault's, too. Evidence is that the parameter `member` is late, unless there is none.
  std::string effect = "black-hole";
  std::string parameter = {};
  bool of_a_member = true;
};

class PeerFault final : public Fault {
 public:
  PeerFault(const PeerRow& row, const ParameterValues& given) : row_(row), given_(given) {}
  bool took_effect() const override {
    if (armed_.empty()) return false;
    if (cuts()) return leaderless_ > 0 || other_leader_ || term_ > term_before_;
    if (counts_bytes() && held_up_ < given_.bytes(kHeldUp)) return false;
    if (!row_.of_a_member) return true;
    if (limits_rate()) return lag_ >= kLeastLag;
    return lag_ >= std::max(given_.duration(row_.parameter) / 2, kLeastLag);
  }

 private:
  bool cuts() const { return row_.parameter.empty(); }
  bool limits_rate() const { return row_.effect == "bandwidth"; }
  bool counts_bytes() const { return limits_rate() || !row_.of_a_member; }

  Status Act(FaultPorts& ports) override {
    const auto members = static_cast<std::int64_t>(ports.servers.size());
    if (members < 2) {
      return Fail(StatusCode::kFailedPrecondition, "{}: the target is not a cluster", row_.name);
    }
    WP_ASSIGN_OR_RETURN(const std::vector<Link> links, row_.links(members, given_));
    if (ports.proxies == nullptr) return {};
    Status unanswered;  // a disk that hangs may keep one from answering
    for (const ServerPorts& server : ports.servers) {
      const auto word = server.target->Ask(Within(kPeerAnswerLimit));
      if (!word.has_value()) unanswered = word.error();
      if (!word.has_value()) continue;
      leader_before_ = word->leader;
      term_before_ = std::max(term_before_, word->term);
    }
    if (term_before_ == 0) return unanswered;
    acts_ = true;
    for (const Link& link : links) WP_RETURN_IF_ERROR(ArmLink(ports, link));
    links_ = static_cast<std::int64_t>(links.size());
    return {};
  }
  Status ArmLink(FaultPorts& ports, const Link& link) {
    WP_ASSIGN_OR_RETURN(ServerPorts* const from, ServerOf(ports, link.from));
    WP_ASSIGN_OR_RETURN(ServerPorts* const to, ServerOf(ports, link.to));
    // The receiver has dialled, and the messages come as the response.
    WP_RETURN_IF_ERROR(ArmOn(ports, from->peer_path, proxy::Direction::kToClient, to->caller));
    // The sender has dialled, and sends the messages as requests.
    return ArmOn(ports, to->peer_path, proxy::Direction::kToTarget, from->caller);
  }
  // A cut is a network that drops packets: nothing passes, no connection is closed meanwhile, and
  // connections that lost bytes are closed when the network heals.
  Status ArmOn(FaultPorts& ports, proxy::ProxyId path, proxy::Direction direction,
               const std::string& caller) {
    proxy::EffectSpec effect{.kind = row_.effect};
    if (cuts()) {
      effect.parameters["close"] = "yes";
    } else {
      effect.parameters[row_.parameter] = given_.text(row_.parameter);
    }
    effect.direction = direction;
    effect.caller = caller;
    WP_ASSIGN_OR_RETURN(const proxy::EffectId id, ports.proxies->Arm(path, effect));
    armed_.push_back(id);
    return {};
  }
  void Look(FaultPorts& ports) override {
    if (took_effect() || ports.now() - asked_at_ < kAskEvery) return;
    if (cuts()) LookForElection(ports);
    if (!cuts() && row_.of_a_member) LookForLag(ports);
    if (counts_bytes()) CountHeldUp(ports);
    asked_at_ = ports.now();
  }
  void CountHeldUp(FaultPorts& ports) {
    held_up_ = 0;
    for (const proxy::EffectId id : armed_) {
      const auto done = ports.proxies->Peek(id);
      if (done.has_value()) held_up_ += done->bytes_throttled + done->bytes_delayed;
    }
  }
  void LookForElection(FaultPorts& ports) {
    std::int64_t leaderless = 0;
    for (const ServerPorts& server : ports.servers) {
      const auto word = server.target->Ask(Within(kPeerAnswerLimit));
      if (!word.has_value()) continue;
      leaderless += word->leader == 0 ? 1 : 0;
      other_leader_ = other_leader_ || (word->leader != 0 && word->leader != leader_before_);
      term_ = std::max(term_, word->term);
    }
    leaderless_ = std::max(leaderless_, leaderless);
  }
  // Two members are not asked at the same moment, so a healthy member may lack the latest write. A
  // member that still lacks it after the required time is slow.
  void LookForLag(FaultPorts& ports) {
    const auto slow = ServerOf(ports, given_.number("member"));
    if (!slow.has_value()) return;
    if (ahead_) {
      const auto word = (*slow)->target->Ask(Within(kPeerAnswerLimit));
      if (!word.has_value()) return;
      const bool has_it = word->revision >= ahead_->revision;
      if (!has_it) lag_ = std::max(lag_, Duration(ports.now() - ahead_->at));
      if (has_it) ahead_.reset();
      return;
    }
    for (const ServerPorts& server : ports.servers) {
      if (&server == *slow) continue;
      const auto word = server.target->Ask(Within(kPeerAnswerLimit));
      if (word.has_value()) ahead_ = Ahead{.revision = word->revision, .at = ports.now()};
      return;
    }
  }
  Status Undo(FaultPorts& ports) override {
    Status trouble;
    for (const proxy::EffectId id : armed_) {
      const auto done = ports.proxies->Heal(id);
      if (done.has_value()) {
        bytes_ += done->bytes_swallowed + done->bytes_delayed + done->bytes_throttled;
      } else if (trouble.ok()) {
        trouble = done.error();
      }
    }
    return trouble;
  }
  void Describe(FaultReceipt& receipt) const override {
    const std::uint64_t term = std::max(term_, term_before_);
    receipt.measured = {{"links", links_},
                        {"bytes", bytes_},
                        {"members_without_leader", leaderless_},
                        {"other_leader", other_leader_},
                        {"term_before", static_cast<std::int64_t>(term_before_)},
                        {"term", static_cast<std::int64_t>(term)},
                        {"behind_ms", Milliseconds(lag_)}};
    receipt.text =
        armed_.empty()
            ? std::string("never armed: there is no proxy between the members")
            : fmt::format(
                  "{} links between members, on which {} bytes were dropped or had to wait; up to "
                  "{} members reported no leader, {} other leader was reported, the term went from "
                  "{} to {}, a member was up to {} ms behind",
                  links_, bytes_, leaderless_, other_leader_ ? "an" : "no", term_before_, term,
                  Milliseconds(lag_));
  }

  const PeerRow row_;
  const ParameterValues given_;
  std::vector<proxy::EffectId> armed_;
  std::int64_t links_ = 0;
  Duration asked_at_{};
  std::uint64_t leader_before_ = 0;
  std::uint64_t term_before_ = 0;
  std::uint64_t term_ = 0;
  std::int64_t leaderless_ = 0;  // members, at most
  bool other_leader_ = false;
  // A revision that another member had, and when; the slow member has not got it yet.
  struct Ahead {
    std::int64_t revision = 0;
    Duration at{};
  };
  std::optional<Ahead> ahead_;
  Duration lag_{};  // the longest
  std::int64_t bytes_ = 0;
  std::int64_t held_up_ = 0;  // bytes, while it acts
};

// All links for which `cut` says so.
template <typename Cut>
std::vector<Link> LinksWhere(std::int64_t members, Cut cut) {
  std::vector<Link> links;
  for (std::int64_t from = 1; from <= members; ++from) {
    for (std::int64_t to = 1; to <= members; ++to) {
      if (from != to && cut(from, to)) links.push_back({from, to});
    }
  }
  return links;
}

Result<std::vector<Link>> OfOneMember(std::int64_t members, const ParameterValues& given) {
  const std::int64_t member = given.number("member");
  return LinksWhere(members, [member](std::int64_t from, std::int64_t to) {
    return from == member || to == member;
  });
}

Result<std::vector<Link>> ToOneMember(std::int64_t members, const ParameterValues& given) {
  const std::int64_t member = given.number("member");
  return LinksWhere(members, [member](std::int64_t, std::int64_t to) { return to == member; });
}

// The first member leads at the start.
Result<std::vector<Link>> BetweenTwoParts(std::int64_t members, const ParameterValues& given) {
  const bool leader_alone = given.word("leader") == 1;
  const auto in_majority = [=](std::int64_t member) {
    return (leader_alone ? members + 1 - member : member) <= members / 2 + 1;
  };
  return LinksWhere(members, [&in_majority](std::int64_t from, std::int64_t to) {
    return in_majority(from) != in_majority(to);
  });
}

Result<std::vector<Link>> AllButNeighbours(std::int64_t members, const ParameterValues& /*given*/) {
  if (members < kSmallestRing) {
    return Fail(StatusCode::kFailedPrecondition,
                "ring: a cluster of {} has no ring; expected at least {}", members, kSmallestRing);
  }
  return LinksWhere(members, [members](std::int64_t from, std::int64_t to) {
    const std::int64_t apart = (to - from + members) % members;
    return apart > 1 && apart < members - 1;
  });
}

Result<std::vector<Link>> OneWay(std::int64_t /*members*/, const ParameterValues& given) {
  const Link link{.from = given.number("from"), .to = given.number("to")};
  if (link.from != link.to) return std::vector<Link>{link};
  return Fail(StatusCode::kInvalidArgument,
              "a link: from and to are both member {}; expected two members", link.to);
}

constexpr const char* kElection =
    " Took effect if a member reports that it has no leader, another leader, or a higher term.";

std::vector<PeerRow> Cuts() {
  return {
      {.name = "isolate",
       .explain = "Swallows every message between one member of a cluster and the others, in both "
                  "directions, until healed; its clients still reach it.",
       .parameters = {MemberParameter()},
       .links = OfOneMember},
      {.name = "one-way-cut",
       .explain = "Swallows the messages from one member of a cluster to another until healed; the "
                  "other direction and all other links still work. So that there is an election, "
                  "`from` must be the leader.",
       .parameters = {MemberParameter("from"), MemberParameter("to", "2")},
       .links = OneWay},
      {.name = "ring",
       .explain = "Cuts all links of a cluster except those between neighbours (the last member "
                  "and the first are neighbours), until healed: each member reaches two others and "
                  "none reaches all. Needs at least four members.",
       .parameters = {},
       .links = AllButNeighbours},
      {.name = "split",
       .explain = "Partitions a cluster into a majority and a minority until healed; clients still "
                  "reach every member.",
       .parameters = {{.name = "leader",
                       .kind = ParameterKind::kWord,
                       .default_value = "majority",
                       .explain = "The part of the first member, which leads at the start.",
                       .words = {"majority", "minority"}}},
       .links = BetweenTwoParts},
  };
}

std::vector<PeerRow> Slows() {
  return {
      {.name = "slow-link",
       .explain =
           "Delays the messages from one member of a cluster to another; all other links are "
           "as fast as before. Took effect if so many bytes had to wait.",
       .parameters = {MemberParameter("from", "2"),
                      MemberParameter("to", "1"),
                      {.name = "delay",
                       .default_value = "150ms",
                       .explain = "Above the election timeout it acts as a cut at first."},
                      {.name = kHeldUp,
                       .kind = ParameterKind::kBytes,
                       .default_value = "1B",
                       .explain = "How many bytes must have waited for it to take effect.",
                       .least = 1}},
       .links = OneWay,
       .effect = "latency",
       .parameter = "delay",
       .of_a_member = false},
      {.name = "slow-peer",
       .explain = "Delays every message between one member of a cluster and the others, in both "
                  "directions. Took effect if, after half the delay and at least 25 ms, the member "
                  "still lacks a revision that another member had. So there must be writes.",
       .parameters = {MemberParameter("member", "2"),
                      {.name = "delay",
                       .default_value = "150ms",
                       .explain = "Each way; above the election timeout it acts as a cut."}},
       .links = OfOneMember,
       .effect = "latency",
       .parameter = "delay"},
      {.name = "slow-link-to-member",
       .explain =
           "Limits the rate at which each of the other members sends to one member, so that "
           "a snapshot of the store is in transit for long. Took effect if so many bytes had "
           "to wait, and the member lacked, for at least 25 ms, a revision that another "
           "member had.",
       .parameters = {MemberParameter("member", "2"),
                      {.name = "rate",
                       .kind = ParameterKind::kBytes,
                       .default_value = "128KiB",
                       .explain = "Bytes per second, for each connection alone.",
                       .least = 1},
                      {.name = kHeldUp,
                       .kind = ParameterKind::kBytes,
                       .default_value = "64KiB",
                       .explain = "How many bytes must have waited for it to take effect.",
                       .least = 1}},
       .links = ToOneMember,
       .effect = "bandwidth",
       .parameter = "rate"},
  };
}

const FaultRegistration kPeerFaults([] {
  std::vector<FaultKind> kinds;
  for (const auto& rows : {Cuts(), Slows()}) {
    for (const PeerRow& row : rows) {
      kinds.push_back(
          {.info = {.name = row.name,
                    .explain = row.explain + (row.parameter.empty() ? kElection : ""),
                    .parameters = row.parameters,
                    .parts_members = true},
           .make = [row](const ParameterValues& given) -> Result<std::unique_ptr<Fault>> {
             // A mistake is reported before a target is started.
             const auto links = row.links(kSmallestRing, given);
             if (!links.has_value()) return links.error();
             return std::make_unique<PeerFault>(row, given);
           }});
    }
  }
  return kinds;
});

}  // namespace
}  // namespace watchproof
