// SPDX-License-Identifier: Apache-2.0
// Compares each answer of the store with that of a reference store (reference_store.h), in full and
// with the code and the words of a refusal. What differs goes into the recording, where the
// guarantee Answered is judged.
//
//   Answers answers(recording);
//   answers.Compare("a put", reference.Put(op), store.Put(op));
//
// Not thread-safe. Ownership: borrows the recording.
#pragma once

#include <string>
#include <vector>

#include "embedded_store/lease/lessor.h"
#include "embedded_store/mvcc/operations.h"
#include "harness/base/status.h"
#include "harness/explore/stepped/recording.h"

namespace watchproof::explore {

// Everything in it, but tickets: equal for equal answers.
inline std::string ToText(Revision revision) { return fmt::format("revision {}", revision.value); }
inline std::string ToText(const store::KeyValue& kv) {
  return fmt::format("{}={} created {} changed {} version {} lease {}", kv.key, kv.value,
                     kv.create.value, kv.mod.value, kv.version, kv.lease);
}
inline std::string ToText(const std::vector<store::KeyValue>& kvs) {
  std::string text;
  for (const store::KeyValue& kv : kvs) text += ", " + ToText(kv);
  return text;
}
inline std::string ToText(const store::RangeAnswer& answer) {
  return fmt::format("revision {}, {} keys{}{}", answer.revision.value, answer.count,
                     answer.more ? " and more" : "", ToText(answer.kvs));
}
inline std::string ToText(const store::PutAnswer& answer) {
  return fmt::format("revision {}, before {}", answer.revision.value,
                     answer.previous ? ToText(*answer.previous) : "nothing");
}
inline std::string ToText(const store::DeleteAnswer& answer) {
  return fmt::format("revision {}, {} deleted{}", answer.revision.value, answer.deleted,
                     ToText(answer.previous));
}
inline std::string ToText(const store::TxnAnswer& answer) {
  std::string text =
      fmt::format("revision {}, {}", answer.revision.value, answer.succeeded ? "then" : "else");
  for (const store::Answer& one : answer.answers) {
    text += " [" + std::visit([](const auto& inner) { return ToText(inner); }, one) + "]";
  }
  return text;
}
inline std::string ToText(const store::CompactAnswer& answer) { return ToText(answer.revision); }
inline std::string ToText(const store::Granted& granted) {
  return fmt::format("revision {}, lease {} for {} s", granted.revision.value, granted.id,
                     granted.ttl.count());
}
inline std::string ToText(const store::LeaseState& state) {
  return fmt::format("{} s of {} s, keys {}", state.remaining.count(), state.granted.count(),
                     fmt::join(state.keys, " "));
}
inline std::string ToText(const std::vector<std::int64_t>& leases) {
  return fmt::format("leases {}", fmt::join(leases, " "));
}
inline std::string ToText(std::chrono::seconds time) { return fmt::format("{} s", time.count()); }
inline std::string ToText(const Status& status) {
  return fmt::format("{}: {}", Name(status.code()), status.message());
}

class Answers {
 public:
  explicit Answers(Recording& recording) : recording_(recording) {}
  template <typename T>
  void Compare(const char* call, const Result<T>& expected, const Result<T>& observed) {
    CompareTexts(expected.has_value()
                     ? fmt::format("{} to be answered from what was done", call)
                     : fmt::format("{} to be refused: {}", call, expected.error().message()),
                 expected.has_value() ? ToText(*expected) : ToText(expected.error()),
                 observed.has_value() ? ToText(*observed) : ToText(observed.error()));
  }
  // A number that the store shows.
  void CompareNumbers(const char* number, std::int64_t expected, const auto& observed) {
    CompareTexts(fmt::format("the number of {} to be what it is", number),
                 fmt::format("{}", expected),
                 fmt::format("{}", static_cast<std::int64_t>(observed)));
  }
  void CompareTexts(const std::string& promise, const std::string& expected,
                    const std::string& observed) {
    if (expected == observed) return;
    recording_.Annotate(AnswerDiffers{
        .client = kClient, .expected = promise, .observed = observed + " instead of " + expected});
  }

 private:
  Recording& recording_;
};

}  // namespace watchproof::explore
