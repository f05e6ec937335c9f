// SPDX-License-Identifier: Apache-2.0
// The judge of one guarantee of the key-value API: gets every answered call, and every answer that
// does not follow from the state of its revision.
//
//   class MonotonicReads final : public CallChecker {
//     void Answered(const RecordedCall& call, Findings& findings) override { ... }
//   };
//   const CheckerRegistration kMonotonicReads{{.guarantee = ..., .make_for_calls = ...}};
//
// A checker's only input is these calls and CallFacts, which are complete when the checker is
// constructed. Not thread-safe.
#pragma once

#include <string>

#include "harness/checkers/checker.h"
#include "harness/checkers/response_checker.h"
#include "harness/model/writers.h"

namespace watchproof {

struct CallFacts {
  const CallLog& log;
  const ControlLog& control;
  const Writers& writers;
};

class CallChecker {
 public:
  explicit CallChecker(const CallFacts& facts) : facts_(facts) {}
  virtual ~CallChecker() = default;
  CallChecker(const CallChecker&) = delete;
  CallChecker& operator=(const CallChecker&) = delete;

  // Each call that was answered, in the order of the answers.
  virtual void Answered(const RecordedCall&, Findings&) {}
  // Once, after the last.
  virtual void Settled(Findings&) {}
  // An answer that differs from the state of its revision, in the order of revisions.
  virtual void Differs(const RecordedCall&, const Mismatch&, Findings&) {}

 protected:
  const CallFacts& facts() const { return facts_; }
  template <typename MakeDraft>
  void Add(Guarantee guarantee, const RecordedCall& call, Findings& findings,
           MakeDraft make) const {
    findings.Add(guarantee, call.client, facts_.log.client_names()[call.client], make);
  }
  void AddMismatch(Guarantee guarantee, const RecordedCall& call, const Mismatch& mismatch,
                   Findings& findings) const {
    Add(guarantee, call, findings, [&] {
      Draft draft{.expected = mismatch.expected, .observed = mismatch.observed, .at = call.at};
      if (mismatch.reported.value != 0) draft.evidence.push_back(mismatch.reported);
      draft.evidence.push_back(call.began);
      draft.evidence.push_back(call.ended);
      return draft;
    });
  }

 private:
  const CallFacts facts_;
};

}  // namespace watchproof
