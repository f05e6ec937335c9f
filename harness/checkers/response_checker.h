// SPDX-License-Identifier: Apache-2.0
// Compares the answer to one key-value call with the state of the store that it must follow from.
//
//   keys.MoveTo(state);
//   ResponseChecker checker(keys, writers);
//   const auto checked = checker.Check(call);              // it changed nothing
//   const auto checked = checker.Check(call, revision);    // it made this revision
//   if (checked.wrong) ... checked.wrong->expected ...
//
// Unknown parts of the state are not compared; there the answer itself defines the state. Not
// thread-safe. Ownership: refers to keys and writers.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness/checkers/symptom.h"
#include "harness/history/run_started.h"
#include "harness/model/key_space.h"

namespace watchproof {

struct Mismatch {
  std::string expected;
  std::string observed;
  Line reported{};  // the line that shows the state; 0: it follows from all lines before
  Symptom symptom{};
  std::string_view clause{};  // see Draft
};

struct Examined {
  std::optional<Mismatch> wrong;  // the first of the answer
  bool whole = true;              // all of it could be compared
};

class ResponseChecker {
 public:
  ResponseChecker(KeySpace& keys, const Writers& writers, const Deviations& deviations)
      : keys_(keys), writers_(writers), deviations_(deviations) {}

  // Requires: the keys are at the revision of the answer; of a call that made a revision, at the
  // one before, and afterwards they are at this one.
  Examined Check(const RecordedCall& call, std::optional<Revision> made = {});
  // The same for a read in a transaction, at the revision that it names.
  Examined CheckRead(const RecordedCall& call, std::string_view request, std::string_view response);
  // A write was refused at the revision of the keys, and only a key that it keeps the value or the
  // lease of can be the reason.
  Examined CheckRefusal(const RecordedCall& call);

 private:
  // The keys of a range with their known state, in key order.
  struct Row {
    std::string_view key;
    Found found;
  };
  struct Listing {
    std::vector<Row> rows;
    bool unknown_keys = false;  // there may be more
    std::size_t alive = 0;
    std::size_t unknown = 0;
    bool known() const { return unknown == 0 && !unknown_keys; }
  };

  Listing List(const KeyRange& range) const;
  void Branch(std::string_view request, std::string_view response);
  std::optional<bool> Holds(const CompareView& compare) const;
  void Operations(std::string_view request, std::string_view response);
  void CheckSeen(Method kind, std::string_view response);
  void Operate(Method kind, std::string_view request, std::string_view response);
  void Range(std::string_view request, std::string_view response);
  void Put(std::string_view request, std::string_view response);
  void Delete(std::string_view request, std::string_view response);

  void CheckShown(const Listing& listing, const KeyRange& range, const KeyValueView& kv,
                  bool keys_only);
  void CheckKey(std::string_view key, const Found& found, const KeyValueView& kv, bool keys_only);
  void CheckFacts(const KeyFacts& facts, const KeyValueView& kv, bool keys_only);
  void CheckOrigin(const KeyValueView& kv, bool keys_only);
  void CheckOrder(const RangeRequestView& range, const std::vector<KeyValueView>& kvs);
  // As it is sorted by: with its value. Empty: not known.
  std::optional<KeyValueView> Sorted(const RangeRequestView& range, const KeyValueView& kv);
  void CheckBounds(const RangeRequestView& range, const std::vector<KeyValueView>& kvs);
  void CheckComplete(const Listing& listing, const RangeRequestView& range,
                     const RangeResponseView& answer);
  void CheckCount(const Listing& listing, std::int64_t count, const char* word);
  void LearnFrom(const Listing& listing, const KeyRange& range, const RangeRequestView& request,
                 const RangeResponseView& answer);
  void Undecide(const Found& found);
  void Begin(const RecordedCall& call);
  void Wrong(std::string expected, std::string observed, Line reported = {},
             const Symptom& symptom = {});

  KeySpace& keys_;
  const Writers& writers_;
  const Deviations& deviations_;
  const RecordedCall* call_ = nullptr;
  std::string_view clause_{};  // that what is compared is about; see Draft
  bool changes_ = false;
  Revision seen_{};          // by the next operation of a transaction
  std::set<Method> saying_;  // the kinds of operations that have named it
  Examined examined_;
};

}  // namespace watchproof
