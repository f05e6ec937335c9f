// SPDX-License-Identifier: Apache-2.0
#include "harness/explore/promises.h"

namespace watchproof::explore {
namespace {

std::string ToText(const store::KeyValue& kv) {
  return fmt::format("{}={} created {} changed {} version {} lease {}", kv.key, kv.value,
                     kv.create.value, kv.mod.value, kv.version, kv.lease);
}

std::string ToText(const std::vector<store::KeyValue>& kvs) {
  std::string text;
  for (const store::KeyValue& kv : kvs) text += ", " + ToText(kv);
  return text;
}

}  // namespace

std::string ToText(const store::RangeAnswer& answer) {
  return fmt::format("revision {}, {} keys{}{}", answer.revision.value, answer.count,
                     answer.more ? " and more" : "", ToText(answer.kvs));
}
std::string ToText(const store::PutAnswer& answer) {
  return fmt::format("revision {}, before {}", answer.revision.value,
                     answer.previous ? ToText(*answer.previous) : "nothing");
}
std::string ToText(const store::DeleteAnswer& answer) {
  return fmt::format("revision {}, {} deleted{}", answer.revision.value, answer.deleted,
                     ToText(answer.previous));
}
std::string ToText(const store::TxnAnswer& answer) {
  std::string text =
      fmt::format("revision {}, {}", answer.revision.value, answer.succeeded ? "then" : "else");
  for (const store::Answer& one : answer.answers) {
    text += " [" + std::visit([](const auto& inner) { return ToText(inner); }, one) + "]";
  }
  return text;
}
std::string ToText(const store::CompactAnswer& answer) { return ToText(answer.revision); }
std::string ToText(const store::Granted& granted) {
  return fmt::format("revision {}, lease {} for {} s", granted.revision.value, granted.id,
                     granted.ttl.count());
}
std::string ToText(const store::LeaseState& state) {
  return fmt::format("{} s of {} s, keys {}", state.remaining.count(), state.granted.count(),
                     fmt::join(state.keys, " "));
}
std::string ToText(const std::vector<std::int64_t>& leases) {
  return fmt::format("leases {}", fmt::join(leases, " "));
}
std::string ToText(Revision revision) { return fmt::format("revision {}", revision.value); }
std::string ToText(std::chrono::seconds time) { return fmt::format("{} s", time.count()); }
std::string ToText(const Status& status) {
  return fmt::format("{}: {}", Name(status.code()), status.message());
}

void Promises::CompareNumbers(const char* number, std::int64_t expected, std::int64_t observed) {
  CompareTexts(fmt::format("the number of {} to be what it is", number),
               fmt::format("{}", expected), fmt::format("{}", observed));
}

void Promises::CompareTexts(const std::string& promise, const std::string& expected,
                            const std::string& observed) {
  if (expected == observed) return;
  broken_.push_back({.guarantee = "Answered",
                     .watch = "the store",
                     .expected = promise,
                     .observed = observed + " instead of " + expected});
}

}  // namespace watchproof::explore
