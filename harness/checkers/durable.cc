// SPDX-License-Identifier: Apache-2.0
// Durable: an acknowledged write keeps the revision that it was acknowledged with.
#include <algorithm>

#include "harness/checkers/checker.h"
#include "harness/checkers/phrases.h"

namespace watchproof {
namespace {

bool Wrote(const std::vector<Operation>& operations, const Observation& seen) {
  return std::any_of(operations.begin(), operations.end(),
                     [&](const Operation& operation) { return Explains(operation, seen); });
}

class Durable final : public Checker {
 public:
  void Annotated(const Annotation& annotation, Where where) override {
    const auto* const ended = std::get_if<NotRestarted>(&annotation);
    if (ended == nullptr) return;
    Draft draft{.expected =
                    "the target to start again after it was killed: with its data or, where a "
                    "fault damaged that, to end and say why",
                .observed = ended->observed,
                .where = where,
                .clause = "S-9",
                .by_silence = ended->late};
    if (ended->client.empty()) return Add(StreamId{}, std::move(draft));
    Add(ClientSubject{0, ended->client, where.line}, std::move(draft));
  }

  void CallsSettled() override {
    for (const Clash& clash : facts().model.writers().clashes()) ReportClash(clash);
    for (const auto& [revision, reported] : facts().model.control().reported()) {
      const auto writer = facts().model.writers().by_revision().find(revision);
      if (writer == facts().model.writers().by_revision().end() || !writer->second.acknowledged)
        continue;
      for (const Observation& seen : reported) {
        if (!Wrote(writer->second.operations, seen)) {
          ReportUnknownKey(revision, *writer->second.call, seen);
        }
      }
    }
  }

 private:
  void ReportClash(const Clash& clash) const {
    const RecordedCall& call = *clash.second;
    AddRevision(call,
                fmt::format("a revision of its own; revision {} had been acknowledged to the write "
                            "of line {}",
                            clash.revision, clash.first->began.value),
                {clash.first->ended, call.began, call.ended});
  }

  void ReportUnknownKey(Revision revision, const RecordedCall& call,
                        const Observation& seen) const {
    Add(call,
        {.expected = fmt::format("at revision {} what line {} wrote and line {} acknowledged",
                                 revision, call.began.value, call.ended.value),
         .observed = fmt::format("the control watch received the {} of {}{} in line {}",
                                 seen.deleted ? "delete" : "put", Quoted(seen.kv.key),
                                 seen.deleted ? "" : fmt::format(" = {}", Quoted(seen.kv.value)),
                                 seen.line.value),
         .evidence = {call.began, call.ended, seen.line},
         .symptom = symptom::OtherWrite{call.ended, seen.line}});
  }
};

const CheckerRegistration<Durable> kDurable{{
    .guarantee = Guarantee("Durable"),
    .place = 550,
    .gravity = Gravity::kData,
    .of_calls = true,
    .clause = "S-4",
    .impact = "A Kubernetes cache holds, and controllers act on, an update that was acknowledged "
              "and no longer exists.",
    .explain = "Once a write has been answered, a crash, a change of leader or a restart must not "
               "undo it. A store that lost a write gives its revision to another write later, so "
               "two answers with one revision reveal the loss, and so does a control watch that "
               "receives a different change at that revision. A lost write without such a trace "
               "shows in the reads that miss it, which Linearizable judges. Source: "
               "\"durability\" of the KV API guarantees of etcd; a case of it is etcd #14370.",
}};

}  // namespace
}  // namespace watchproof
