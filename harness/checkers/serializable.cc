// SPDX-License-Identifier: Apache-2.0
// Serializable: a read that any member may answer shows one state that the store has been in.
#include <map>
#include <tuple>

#include "harness/checkers/checker.h"

namespace watchproof {
namespace {

class Serializable final : public Checker {
 public:
  void Annotated(const Annotation& annotation, Where where) override {
    const auto* const hash = std::get_if<HistoryHash>(&annotation);
    if (hash == nullptr) return;
    JudgeRevision(*hash, where);
    JudgeOthers(*hash, where);
    const auto [first, is_first] = hashes_.try_emplace(
        std::tuple(hash->release, hash->revision, hash->compacted), *hash, where.line);
    const auto& [other, line] = first->second;
    if (is_first || other.hash == hash->hash) return;
    Add(StreamId{},
        {.expected = fmt::format("hash {:08x} of the history up to revision {}, as member {} "
                                 "answered",
                                 other.hash, hash->revision, other.member),
         .observed = fmt::format("member {} answered {:08x}", hash->member, hash->hash),
         .evidence = {line},
         .where = where,
         .about = Revision(hash->revision),
         .clause = "K-5"});
  }

  void CallAnswered(const RecordedCall& call) override {
    if (call.serializable) CheckNotFuture(call, "a state that the store had been in");
  }

  void CallDiffers(const RecordedCall& call, const Mismatch& mismatch) override {
    if (call.method != Method::kRange || !call.serializable) return;
    AddMismatch(call, mismatch);
  }

 private:
  void JudgeRevision(const HistoryHash& hash, Where where) const {
    if (hash.hashed == 0 || hash.hashed == hash.revision) return;
    Add(MemberSubject{hash.member, where.line},
        {.expected = fmt::format("a hash of the history up to revision {}, as it was asked for",
                                 hash.revision),
         .observed = fmt::format("member {} answered with one of the history up to revision {}",
                                 hash.member, hash.hashed),
         .where = where,
         .about = Revision(hash.revision),
         .clause = "M-3"});
  }

  // Two histories compacted to the same revision differ by a change: so do their hashes, but for
  // one pair in four thousand million.
  void JudgeOthers(const HistoryHash& hash, Where where) {
    const auto [first, is_first] = revisions_.try_emplace(
        std::tuple(hash.release, hash.compacted, hash.hash), hash, where.line);
    const auto& [other, line] = first->second;
    if (is_first || other.revision == hash.revision) return;
    Add(StreamId{},
        {.expected = fmt::format("a hash of the history up to revision {} that is not that of the "
                                 "history up to revision {}",
                                 hash.revision, other.revision),
         .observed = fmt::format("both are {:08x}", hash.hash),
         .evidence = {line},
         .where = where,
         .about = Revision(hash.revision),
         .clause = "M-4"});
  }

  // The first one of each kind that must be equal, and its line.
  std::map<std::tuple<std::string, std::int64_t, std::int64_t>, std::pair<HistoryHash, Line>>
      hashes_;
  // The first one of each hash.
  std::map<std::tuple<std::string, std::int64_t, std::int64_t>, std::pair<HistoryHash, Line>>
      revisions_;
};

const CheckerRegistration<Serializable> kSerializable{{
    .guarantee = Guarantee("Serializable"),
    .place = 520,
    .gravity = Gravity::kOrder,
    .of_calls = true,
    .clause = "K-2",
    .impact = "A Kubernetes cache is filled from a list that never was the state of the store, "
              "and applies every later change on top of it.",
    .explain =
        "A read with the serializable flag is answered by the member that receives it, "
        "from its local store. The answer may be behind, but it must not be a mixture: "
        "keys, values, key metadata and count are the result of the writes up to the "
        "revision of its header, and the store had reached that revision. At its end, each "
        "member of a cluster is read in this way and asked for a hash of its history at "
        "the same revision (HashKV); the hashes of a revision are equal, also of one member "
        "at different times, as long as it is compacted to the same revision, and differ from "
        "those of other revisions. Source: the "
        "field serializable of RangeRequest, and \"isolation level and consistency of "
        "replicas\" of the KV API guarantees of etcd.",
}};

}  // namespace
}  // namespace watchproof
