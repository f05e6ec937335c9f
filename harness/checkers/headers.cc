// SPDX-License-Identifier: Apache-2.0
// Headers: a header names the sender of the message and the store's revision, neither too low nor
// too high.
#include <unordered_map>

#include "harness/checkers/checker.h"
#include "harness/checkers/phrases.h"

namespace watchproof {
namespace {

class Headers final : public Checker {
 public:
  void Answered(WatchIndex watch, const Response& response) override { Check(watch, response); }
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
  };

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
    if (latest_ == nullptr || latest_stream_ != response.stream) {
      latest_ = &senders_[response.stream.value];
      latest_stream_ = response.stream;
    }
    if (latest_->cluster == header.cluster_id && latest_->member == header.member_id) return;
    if (latest_->cluster == 0) latest_->cluster = header.cluster_id;
    if (latest_->member == 0) latest_->member = header.member_id;
    if (latest_->where.line.value == 0) latest_->where = response.where;
    const bool same_cluster = header.cluster_id == 0 || header.cluster_id == latest_->cluster;
    const bool same_member = header.member_id == 0 || header.member_id == latest_->member;
    if (same_cluster && same_member) return;
    Add(response.stream,
        {.expected = fmt::format("answers of one member of one cluster, {:x} of {:x}, as in line "
                                 "{}",
                                 latest_->member, latest_->cluster, latest_->where.line.value),
         .observed = fmt::format("one of {:x} of {:x} in line {}", header.member_id,
                                 header.cluster_id, response.where.line.value),
         .evidence = {latest_->where.line},
         .where = response.where});
  }

  std::vector<Ahead> ahead_;                           // ascending
  Revision highest_{};                                 // of those that were ever ahead
  std::unordered_map<std::uint32_t, Sender> senders_;  // by stream
  Sender* latest_ = nullptr;
  StreamId latest_stream_{};
};

const CheckerRegistration<Headers> kHeaders{{
    .guarantee = Guarantee("Headers"),
    .place = 100,
    .gravity = Gravity::kFields,
    .promise = "The header of a message names its true sender and the true revision of the store.",
    .impact = "A Kubernetes cache takes the resource version of its lists and watches from the "
              "header, and so labels its content with the wrong revision.",
    .explain = "Every message of a stream names the cluster and the member that sent it, which "
               "are the same for the whole stream, and the revision of the store at the time it "
               "was made. That revision is never lower than the revision of an event in the "
               "message, and never one that did not exist yet: it cannot be the revision of a "
               "write that began only after the message had come, nor one above the answer to a "
               "linearizable read that began after it. A message that cannot be parsed breaks "
               "this guarantee, too. Clients resume and compare by this number. It may go back "
               "from one message to the next, as etcd sends parked responses later with their "
               "original header, and it may be missing where a watch ends. The raft term is not "
               "judged: two tasks of a member stamp it. Source: the message ResponseHeader of the "
               "etcd v3 API.",
}};

}  // namespace
}  // namespace watchproof
