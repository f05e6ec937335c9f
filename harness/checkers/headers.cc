// SPDX-License-Identifier: Apache-2.0
// Headers: a header names the sender of the message, its term, and the store's revision, neither
// too low nor too high.
#include <algorithm>
#include <map>
#include <unordered_map>

#include "harness/checkers/checker.h"
#include "harness/checkers/phrases.h"

namespace watchproof {
namespace {

class Headers final : public Checker {
 public:
  void Answered(WatchIndex watch, const Response& response) override {
    Check(watch, response);
    const Line asked = facts().details(watch).asked.line;
    if (const Noted* before = HigherTerm(response.message.header, asked)) {
      Add(watch, {.expected = Expected(*before),
                  .observed = fmt::format("term {} in line {}", response.message.header.raft_term,
                                          response.where.line.value),
                  .evidence = {before->line},
                  .where = response.where});
    }
  }
  void Delivered(WatchIndex watch, const Response& response) override {
    Exercised();
    Check(watch, response);
    if (Revision(response.message.header.revision) >= response.highest) return;
    Add(watch, {.expected = fmt::format("a header of at least revision {}, that of an event in "
                                        "the same message",
                                        response.highest),
                .observed = Reported(response),
                .where = response.where});
  }
  void Progress(WatchIndex watch, const Response& response) override { Check(watch, response); }
  void Compacted(WatchIndex watch, const Response& response) override { Check(watch, response); }
  void Cancelled(WatchIndex watch, const Response& response) override { Check(watch, response); }

  // The connection of a call that has no answer may be lost; the next one may lead to another
  // member.
  void CallEnded(const RecordedCall& call, std::string_view, std::optional<Revision>) override {
    if (callers_.size() <= call.client) callers_.resize(call.client + 1);
    Sender& caller = callers_[call.client];
    if (call.outcome == CallOutcome::kOpen) caller = {};
    HeaderView header;
    if (call.outcome != CallOutcome::kAnswered || !ParseHeader(call.response.view(), header).ok())
      return;
    if (const Noted* before = HigherTerm(header, call.began)) {
      Add(call, {.expected = Expected(*before),
                 .observed = fmt::format("term {} in line {}", header.raft_term, call.ended.value),
                 .evidence = {before->line, call.began, call.ended}});
    }
    Note(header, call.ended);
    if (call.client == 0 || LeavesOut(call, header)) return;
    CheckRevision(call);
    CheckNamed(call, header);
    // Something may spread calls over the members of a store that was not started for the run.
    const bool spread = facts().options.members == 0 && caller.cluster == header.cluster_id;
    if (spread) caller.member = header.member_id;
    const Where here{call.ended, call.at};
    if (caller.Is(header)) {
      caller.where = here;
      return;
    }
    if (!facts().faults.QuietSince(caller.where.line)) caller = {};
    const Sender was = caller;
    if (caller.Fits(header, here)) return;
    Add(call, {.expected = was.Expected(),
               .observed = Sender::Observed(header, call.ended),
               .evidence = {was.where.line, call.began, call.ended}});
  }

  void Forget() override { Settle(); }

  void Garbled(StreamId stream, Where where, const Status& why) override {
    Add(stream,
        {.expected = "messages of the watch API: bytes come as they were sent, or the "
                     "stream breaks",
         .observed = fmt::format("line {} cannot be parsed: {}", where.line.value, why.message()),
         .where = where});
  }

  void Finish(WatchIndex) override {
    Settle();
    if (ahead_.empty()) return;
    const Ahead& last = ahead_.back();
    // An event of such a revision is judged by Reliable.
    const bool blamed = Refute() || Has(last.watch, Guarantee("Reliable"));
    if (!blamed && !facts().model.MayExist(last.revision)) {
      Undecide(fmt::format(
          "the header in line {} names revision {}, but the writes known at the end reach only {}; "
          "without other writers the header was wrong",
          last.where.line.value, last.revision, facts().timeline().known_through()));
    }
    ahead_.clear();
  }

 private:
  // A header beyond the revision known when it came, and so far the highest. Revisions that became
  // known since then have been compared.
  struct Ahead {
    Revision revision;
    Revision known;
    WatchIndex watch;
    Where where;
  };
  struct Sender {
    std::uint64_t cluster = 0;  // 0: not known yet
    std::uint64_t member = 0;
    Where where;

    bool Is(const HeaderView& header) const {
      return cluster == header.cluster_id && member == header.member_id;
    }
    // Takes over what is not known yet.
    bool Fits(const HeaderView& header, Where here) {
      if (cluster == 0) cluster = header.cluster_id;
      if (member == 0) member = header.member_id;
      if (where.line.value == 0) where = here;
      return (header.cluster_id == 0 || header.cluster_id == cluster) &&
             (header.member_id == 0 || header.member_id == member);
    }
    std::string Expected() const {
      return fmt::format("answers of one member of one cluster, {:x} of {:x}, as in line {}",
                         member, cluster, where.line.value);
    }
    static std::string Observed(const HeaderView& header, Line line) {
      return fmt::format("one of {:x} of {:x} in line {}", header.member_id, header.cluster_id,
                         line.value);
    }
  };
  // A term that a member named, higher than all before.
  struct Noted {
    std::uint64_t term = 0;
    std::uint64_t member = 0;
    Line line{};
  };

  // etcd answers these without a header; before 3.5 those about alarms, too, and then all of them.
  bool LeavesOut(const RecordedCall& call, const HeaderView& header) {
    const bool none = header.cluster_id == 0 && header.member_id == 0 && header.revision == 0 &&
                      header.raft_term == 0;
    if (call.method == Method::kAlarm) {
      if (!none) alarms_named_ = call.ended;
      const bool before = alarms_named_.value != 0;
      return none && !(before && facts().faults.LatestCrash(call.ended) < alarms_named_);
    }
    return none && (call.method == Method::kDefragment || call.method == Method::kMoveLeader ||
                    call.method == Method::kSnapshot);
  }
  // What the same connection was answered before, MonotonicReads judges for key-value calls. One of
  // several members may be behind another; one alone has one revision for every client.
  void CheckRevision(const RecordedCall& call) const {
    if (IsKeyValue(call.method) || IsOfMembers(call.method)) return;
    const int members = facts().options.members;
    if (members == 0) return;
    const Reached& before = members == 1 ? call.before : call.before_here;
    if (call.revision >= before.revision) return;
    if (!facts().faults.QuietSince(before.line)) return;
    Add(call, {.expected = fmt::format("a revision of at least {}, that of the answer in line {}",
                                       before.revision, before.line.value),
               .observed = Reported(call.revision, {call.ended, call.at}),
               .evidence = {before.line, call.began, call.ended}});
  }

  static bool IsWhole(const HeaderView& header) {
    return header.cluster_id != 0 && header.member_id != 0 && header.raft_term != 0;
  }
  // A store that names itself once does so on every watch, and in every answer to a call. Where it
  // first did, if this message does not.
  Line NamedBefore(const HeaderView& header, Line line) {
    if (!IsWhole(header)) return whole_;
    if (whole_.value == 0) whole_ = line;
    return {};
  }
  std::string ExpectedWhole() const {
    return fmt::format("its cluster, member and raft term, as line {} names them", whole_.value);
  }
  static std::string Partly(const HeaderView& header, Line line) {
    return fmt::format("cluster {:x}, member {:x} and term {} in line {}", header.cluster_id,
                       header.member_id, header.raft_term, line.value);
  }
  void CheckNamed(const RecordedCall& call, const HeaderView& header) {
    if (NamedBefore(header, call.ended).value == 0) return;
    Add(call, {.expected = ExpectedWhole(),
               .observed = Partly(header, call.ended),
               .evidence = {whole_, call.began, call.ended}});
  }

  void Note(const HeaderView& header, Line line) {
    const bool same = header.member_id == named_.member && header.raft_term == named_.term;
    if (same || header.member_id == 0) return;
    named_ = {header.raft_term, header.member_id, line};
    highest_term_ = std::max(highest_term_, header.raft_term);
    std::vector<Noted>& noted = terms_[header.member_id];
    if (!noted.empty() && facts().faults.LatestCrash(line) > noted.back().line) noted.clear();
    if (noted.empty() || noted.back().term < header.raft_term) noted.push_back(named_);
  }
  // What the member had named before that line, if it is higher. One that was ended meanwhile
  // begins with the term of what it has read back.
  const Noted* HigherTerm(const HeaderView& header, Line asked) const {
    if (header.raft_term >= highest_term_ || !facts().faults.quiet_since()) return nullptr;
    const auto of_member = terms_.find(header.member_id);
    if (of_member == terms_.end()) return nullptr;
    const std::vector<Noted>& noted = of_member->second;
    const auto behind = std::ranges::lower_bound(noted, asked, {}, &Noted::line);
    if (behind == noted.begin()) return nullptr;
    const Noted& before = *std::prev(behind);
    const bool higher = before.term > header.raft_term;
    return higher && facts().faults.LatestCrash(facts().latest.line) < before.line ? &before
                                                                                   : nullptr;
  }
  static std::string Expected(const Noted& before) {
    return fmt::format("a raft term of at least {}, which member {:x} had named in line {}",
                       before.term, before.member, before.line.value);
  }

  static std::string Reported(Revision revision, Where where) {
    return fmt::format("revision {} in the header of line {}", revision, where.line.value);
  }
  static std::string Reported(const Response& response) {
    return Reported(Revision(response.message.header.revision), response.where);
  }

  void Check(WatchIndex watch, const Response& response) {
    CheckSender(response);
    const Revision revision(response.message.header.revision);
    if (!ahead_.empty() && ahead_.front().known < facts().timeline().known_through()) {
      Settle();
    }
    if (revision > highest_ && revision > facts().timeline().known_through()) {
      ahead_.push_back({revision, facts().timeline().known_through(), watch, response.where});
      highest_ = revision;
    }
    // etcd leaves it out where it ends a watch.
    if (revision.value >= (response.message.canceled ? 0 : 1)) return;
    Add(watch, {.expected = "the revision of the store in the header: at least 1",
                .observed = Reported(response),
                .where = response.where,
                .symptom = symptom::Empty{&response}});
  }

  // Reports headers above the answer to a later linearizable read. True if there was one.
  bool Refute() const {
    const CallLog::Reading& read = facts().model.calls().latest_reading();
    bool refuted = false;
    for (const Ahead& ahead : ahead_) {
      if (ahead.where.line > read.started || ahead.revision <= read.revision) continue;
      refuted = true;
      Add(ahead.watch,
          {.expected = fmt::format("a revision that existed: a linearizable read begun "
                                   "later, in line {}, found the store at revision {}",
                                   read.started.value, read.revision),
           .observed = Reported(ahead.revision, ahead.where),
           .evidence = {ahead.where.line, read.started},
           .at = ahead.where.at,
           .about = ahead.revision});
    }
    return refuted;
  }

  // Writes have become known: had all of them begun when a header named their revision?
  void Settle() {
    const Revision known = facts().timeline().known_through();
    std::erase_if(ahead_, [&](Ahead& ahead) {
      if (const Change* later = WrittenLater(ahead)) {
        Add(ahead.watch,
            {.expected = fmt::format("a revision that existed: the {} was begun only in "
                                     "line {}",
                                     Phrase(*later), later->written.value),
             .observed = Reported(ahead.revision, ahead.where),
             .evidence = {ahead.where.line, later->written},
             .at = ahead.where.at,
             .symptom = symptom::HeaderAhead{ahead.where.line},
             .about = ahead.revision});
        return true;
      }
      ahead.known = known;
      return ahead.revision <= known;
    });
  }

  // A write up to the revision of the header that began after its line. The end of a lease is none:
  // its time may have been over before a client, which did not know, asked for it.
  const Change* WrittenLater(const Ahead& ahead) const {
    const Timeline& timeline = facts().timeline();
    const std::uint32_t count = timeline.changes();
    // Changes stand in the order of revisions.
    std::uint32_t low = timeline.first_change();
    for (std::uint32_t high = count; low < high;) {
      const std::uint32_t middle = low + (high - low) / 2;
      const bool before = timeline.change(middle).revision <= ahead.known;
      (before ? low : high) = before ? middle + 1 : middle;
    }
    for (; low < count; ++low) {
      const Change& change = timeline.change(low);
      if (change.revision > ahead.revision) return nullptr;
      if (change.written > ahead.where.line && change.ended_lease == 0) return &change;
    }
    return nullptr;
  }

  // One stream ends at one member; an answer of another member or cluster is misrouted.
  void CheckSender(const Response& response) {
    const HeaderView& header = response.message.header;
    Note(header, response.where.line);
    // A proxy may answer a create by itself, as etcd's grpc-proxy does.
    const Line named = NamedBefore(header, response.where.line);
    if (named.value != 0 && !response.message.created) {
      Add(response.stream, {.expected = ExpectedWhole(),
                            .observed = Partly(header, response.where.line),
                            .evidence = {whole_},
                            .where = response.where});
    }
    if (latest_ == nullptr || latest_stream_ != response.stream) {
      latest_ = &senders_[response.stream.value];
      latest_stream_ = response.stream;
    }
    if (latest_->Is(header)) return;
    if (latest_->Fits(header, response.where)) return;
    Add(response.stream, {.expected = latest_->Expected(),
                          .observed = Sender::Observed(header, response.where.line),
                          .evidence = {latest_->where.line},
                          .where = response.where});
  }

  std::vector<Ahead> ahead_;                           // ascending
  Revision highest_{};                                 // of those that were ever ahead
  std::unordered_map<std::uint32_t, Sender> senders_;  // by stream
  std::vector<Sender> callers_;                        // by client
  std::uint64_t highest_term_ = 0;                     // that any member has named
  Noted named_;                                        // last
  Line whole_{};                                       // that first named all; 0: none did
  Line alarms_named_{};                                // by the latest answer about them; 0: none
  std::map<std::uint64_t, std::vector<Noted>> terms_;  // by member, ascending
  Sender* latest_ = nullptr;
  StreamId latest_stream_{};
};

const CheckerRegistration<Headers> kHeaders{{
    .guarantee = Guarantee("Headers"),
    .place = 100,
    .gravity = Gravity::kFields,
    .clause = "S-1",
    .impact = "A Kubernetes cache takes the resource version of its lists and watches from the "
              "header, and so labels its content with the wrong revision.",
    .explain =
        "Every message of a stream names the cluster and the member that sent it, which "
        "are the same for the whole stream, and the revision of the store at the time it "
        "was made. That revision is never lower than the revision of an event in the "
        "message, and never one that did not exist yet: it cannot be the revision of a "
        "write that began only after the message had come, nor one above the answer to a "
        "linearizable read that began after it. A message that cannot be parsed breaks "
        "this guarantee, too. Clients resume and compare by this number. It may go back "
        "from one message to the next, as etcd sends parked responses later with their "
        "original header, and it may be missing where a watch ends. The answers to the calls "
        "of one client name one member, too, where the store was started for the run. The raft "
        "term that a member names, the answer to a call or a create, is not below one that it "
        "named before that was asked: a member never goes back to an earlier term while it runs "
        "(raft, currentTerm). Nor is the revision in the answer to any call below one that the "
        "same client was answered with before; calls about members name none. A store that "
        "names its cluster, member and term once does so in every event and in every answer, but "
        "to a defragmentation, a move of the leader, and a snapshot; and about alarms in none or "
        "in all. Source: the message ResponseHeader of the etcd v3 API.",
}};

}  // namespace
}  // namespace watchproof
