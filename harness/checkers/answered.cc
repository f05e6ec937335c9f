// SPDX-License-Identifier: Apache-2.0
// Answered: what had to be refused is refused, and nothing else; and what the driver can compare,
// but no recording alone shows.
#include <map>
#include <string>
#include <utility>

#include "harness/checkers/checker.h"
#include "harness/model/refusals.h"

namespace watchproof {
namespace {

class Answered final : public Checker {
 public:
  void CallEnded(const RecordedCall& call, std::string_view error,
                 std::optional<Revision>) override {
    if (!IsKeyValue(call.method)) return;
    Exercised();
    const auto reason = ReasonToRefuse(call.method, call.request.view());
    if (!reason) return CheckReason(call, error);
    if (call.outcome == CallOutcome::kAnswered) {
      Differs(call, fmt::format("the {} to be refused: {}", InfoOf(call.method).name, reason->why),
              fmt::format("it was answered, with revision {}", call.revision),
              reason->by_setting ? Level::kShould : Level::kMust);
    } else if (OfState(call.code)) {
      Differs(call,
              fmt::format("the {} to be refused as an invalid argument: {}",
                          InfoOf(call.method).name, reason->why),
              fmt::format("{}: {}", Name(call.code), error), Level::kShould);
    }
  }

  // One finding of each kind of call of a client.
  void Annotated(const Annotation& annotation, Where where) override {
    const auto* const limits = std::get_if<StoreLimits>(&annotation);
    if (limits != nullptr && limits->request > 0) {
      most_bytes_ = static_cast<std::size_t>(limits->request);
    }
    const auto* const differs = std::get_if<AnswerDiffers>(&annotation);
    if (differs == nullptr) return;
    Exercised();
    const auto [kind, first] =
        kinds_.try_emplace({differs->client, differs->expected}, kinds_.size());
    Add(ClientSubject{kind->second, differs->client, where.line},
        {.expected = differs->expected, .observed = differs->observed, .where = where});
  }

 private:
  // With which a store refuses for what it holds.
  static bool OfState(StatusCode code) {
    return code == StatusCode::kNotFound || code == StatusCode::kAlreadyExists ||
           code == StatusCode::kFailedPrecondition || code == StatusCode::kOutOfRange;
  }

  // A reason that is not in the request may be in the past, a key or a lease that it names, which
  // others judge, or in its user, or the member that is asked.
  void CheckReason(const RecordedCall& call, std::string_view error) const {
    const bool invalid = call.code == StatusCode::kInvalidArgument;
    if (!invalid && !OfState(call.code)) return;
    if (call.for_user || error.ends_with("for learner")) return;
    // A limit of the server, which Limited judges where it is known.
    if (invalid && call.request.view().size() > most_bytes_) return;
    const Conditional conditions = ConditionsOf(call.method, call.request.view());
    if (conditions.nested || (invalid && (conditions.twice || !conditions.kept.empty()))) return;
    if (!invalid && conditions.past) return;
    if (call.code == StatusCode::kNotFound && !conditions.leases.empty()) return;
    Differs(call,
            fmt::format("the {} to be answered: nothing in it gives a reason to refuse it",
                        InfoOf(call.method).name),
            fmt::format("{}: {}", Name(call.code), error), Level::kMust);
  }

  void Differs(const RecordedCall& call, std::string expected, std::string observed,
               Level level) const {
    Add(call,
        {.expected = std::move(expected),
         .observed = fmt::format("{}, in line {}", observed, call.ended.value),
         .evidence = {call.began, call.ended}},
        level);
  }

  std::map<std::pair<std::string, std::string>, std::uint32_t> kinds_;
  std::size_t most_bytes_ = 1536 << 10;  // of a request; etcd's default for --max-request-bytes
};

const CheckerRegistration<Answered> kAnswered{{
    .guarantee = Guarantee("Answered"),
    .place = 570,
    .gravity = Gravity::kData,
    .of_driver = true,
    .promise = "A call is answered with what the calls before it have made, and refused only where "
               "it, or they, are a reason.",
    .impact = "A Kubernetes API server passes the refusal on, or takes what it was answered for "
              "the state of the store.",
    .explain =
        "A request that names no key, keeps a value or lease and names another, or has more "
        "operations than a transaction may have, is refused as an invalid argument; one in "
        "which nothing is a reason to refuse it is answered. What state is a reason, other "
        "guarantees judge: keys that must be there (Transactional), leases (Leased) and "
        "revisions (CompactionSurfaced). "
        "Exploration runs the embedded store in virtual time beside a reference store that "
        "is given the same calls, and compares every answer in full: refusals with their "
        "words, leases, counters, what a snapshot restores. On a real server it knows of "
        "the requests of its scripts that nothing is a reason to refuse them: a put of a "
        "key without a lease, a read between the compaction floor and the head, the list "
        "of leases. What differs is recorded where it shows. Cases write down what they "
        "expect, so that other guarantees judge their calls. Source: the error codes of etcd's "
        "API (rpctypes).",
}};

}  // namespace
}  // namespace watchproof
