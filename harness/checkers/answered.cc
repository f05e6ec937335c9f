// SPDX-License-Identifier: Apache-2.0
// Answered: what the driver can compare, but no recording alone shows.
#include <map>
#include <string>
#include <utility>

#include "harness/checkers/checker.h"

namespace watchproof {
namespace {

class Answered final : public Checker {
 public:
  // One finding of each kind of call of a client.
  void Annotated(const Annotation& annotation, Where where) override {
    const auto* const differs = std::get_if<AnswerDiffers>(&annotation);
    if (differs == nullptr) return;
    Exercised();
    const auto [kind, first] =
        kinds_.try_emplace({differs->client, differs->expected}, kinds_.size());
    Add(ClientSubject{kind->second, differs->client, where.line},
        {.expected = differs->expected, .observed = differs->observed, .where = where});
  }

 private:
  std::map<std::pair<std::string, std::string>, std::uint32_t> kinds_;
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
    .explain = "Exploration runs the embedded store in virtual time beside a reference store that "
               "is given the same calls, and compares every answer in full: refusals with their "
               "words, leases, counters, what a snapshot restores. On a real server it knows of "
               "the requests of its scripts that nothing is a reason to refuse them: a put of a "
               "key without a lease, a read between the compaction floor and the head, the list "
               "of leases. What differs is recorded where it shows. Cases write down what they "
               "expect, so that other guarantees judge their calls, but for a call that its user "
               "has no right to make.",
}};

}  // namespace
}  // namespace watchproof
