// SPDX-License-Identifier: Apache-2.0
// Random sequences of operations on the store and its leases, against the naive model: every answer
// and, before each compaction and at the end, every readable revision, the whole history, and the
// keys of each lease. A difference is shrunk to a short sequence before it is reported.
//
// RC_PARAMS="max_success=100000 seed=7" runs more of them and others; ci/jobs/properties.sh does.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstdlib>
#include <ostream>
#include <variant>

#include "ci/differential/naive_store.h"
#include "embedded_store/lease/lessor.h"
#include "embedded_store/mvcc/errors.h"

namespace watchproof::store {

struct CompactStep {
  Revision floor;
};
struct GrantStep {
  LeaseId id;
  std::chrono::seconds ttl;
};
struct RevokeStep {
  LeaseId id;
};
struct KeepAliveStep {
  LeaseId id;
};
struct WaitStep {
  std::chrono::seconds time;
};
using Step = std::variant<PutOp, DeleteOp, RangeQuery, TxnOp, CompactStep, GrantStep, RevokeStep,
                          KeepAliveStep, WaitStep>;
// RapidCheck prints counterexamples with this.
void showValue(const Step& step, std::ostream& out);  // NOLINT: its name

namespace {

using rc::gen::element;
using rc::gen::inRange;

// Texts of answers and steps.
std::string Text(const KeyValue& kv) {
  return fmt::format("{}={}@{}/{}/{}/{}", kv.key, kv.value, kv.create, kv.mod, kv.version,
                     kv.lease);
}
std::string Text(const std::vector<KeyValue>& kvs) {
  std::string text;
  for (const KeyValue& kv : kvs) text += " " + Text(kv);
  return text;
}
std::string Text(const KeyRange& range) {
  return fmt::format("[{},{})", range.begin, range.open_ended() ? "..." : range.end);
}
std::string Text(const RangeAnswer& a) {
  return fmt::format("range at {} count {} more {}:{}", a.revision, a.count, a.more, Text(a.kvs));
}
std::string Text(const PutAnswer& a) {
  return fmt::format("put at {} was {}", a.revision, a.previous ? Text(*a.previous) : "nothing");
}
std::string Text(const DeleteAnswer& a) {
  return fmt::format("deleted {} at {}:{}", a.deleted, a.revision, Text(a.previous));
}
std::string Text(const TxnAnswer& a) {
  std::string text = fmt::format("txn {} at {} {{", a.succeeded, a.revision);
  for (const Answer& one : a.answers) {
    text += std::visit([](const auto& answer) { return Text(answer); }, one) + "; ";
  }
  return text + "}";
}
template <typename T>
std::string Text(const Result<T>& answer) {
  return answer ? Text(*answer) : answer.error().ToString();
}

std::string Text(std::monostate) { return "nothing"; }
std::string Text(const PutOp& put) {
  return fmt::format("put {}={} lease {} previous {} ignore value {} lease {}", put.key, put.value,
                     put.lease, put.want_previous, put.ignore_value, put.ignore_lease);
}
std::string Text(const DeleteOp& removal) {
  return fmt::format("delete {} previous {}", Text(removal.range), removal.want_previous);
}
std::string Text(const RangeQuery& q) {
  return fmt::format(
      "range {} at {} limit {} order {} by {} keys {} count {} mod {}..{} create {}..{}",
      Text(q.range), q.at, q.limit, static_cast<int>(q.order), static_cast<int>(q.target),
      q.keys_only, q.count_only, q.min_mod, q.max_mod, q.min_create, q.max_create);
}
std::string Text(const Compare& c) {
  return fmt::format("{} target {} result {} number {} value {}", Text(c.range),
                     static_cast<int>(c.target), static_cast<int>(c.result), c.number, c.value);
}
std::string Text(const TxnOp& txn) {
  std::string text = "txn if {";
  for (const Compare& compare : txn.compares) text += Text(compare) + "; ";
  for (const auto* branch : {&txn.success, &txn.failure}) {
    text += branch == &txn.success ? "} then {" : "} else {";
    for (const Operation& one : *branch) {
      text += std::visit([](const auto& operation) { return Text(operation); }, one) + "; ";
    }
  }
  return text + "}";
}
std::string Text(const CompactStep& s) { return fmt::format("compact {}", s.floor); }
std::string Text(const GrantStep& s) { return fmt::format("grant {} for {}", s.id, s.ttl.count()); }
std::string Text(const RevokeStep& s) { return fmt::format("revoke {}", s.id); }
std::string Text(const KeepAliveStep& s) { return fmt::format("keep {} alive", s.id); }
std::string Text(const WaitStep& s) { return fmt::format("wait {}", s.time.count()); }

// Generators, for use inside rc::gen::exec. Zeros and first elements are what shrinking goes to.
std::string AnyKey() { return *element<std::string>("a", "b", "c", "d", "ab"); }
KeyRange AnyRange() {
  return {AnyKey(), *element<std::string>("", "", "b", "c", "d", std::string(1, '\0'))};
}
bool OneIn(int count) { return *inRange(0, count) == count - 1; }
Revision AnyRevision() {
  return Revision{OneIn(3) ? *inRange<std::int64_t>(0, 40) : std::int64_t{0}};
}
LeaseId AnyLease() { return *inRange<LeaseId>(1, 4); }

RangeQuery AnyQuery() {
  return {.range = AnyRange(),
          .limit = OneIn(3) ? *inRange<std::int64_t>(0, 4) : std::int64_t{0},
          .at = AnyRevision(),
          .order = *element(SortOrder::kNone, SortOrder::kAscend, SortOrder::kDescend),
          .target = *element(SortTarget::kKey, SortTarget::kVersion, SortTarget::kCreate,
                             SortTarget::kMod, SortTarget::kValue),
          .keys_only = OneIn(5),
          .count_only = OneIn(5),
          .min_mod = OneIn(6) ? AnyRevision() : Revision{0},
          .max_mod = OneIn(6) ? AnyRevision() : Revision{0},
          .min_create = OneIn(6) ? AnyRevision() : Revision{0},
          .max_create = OneIn(6) ? AnyRevision() : Revision{0}};
}
PutOp AnyPut() {
  PutOp put{.key = AnyKey(),
            .want_previous = OneIn(3),
            .ignore_value = OneIn(6),
            .ignore_lease = OneIn(6)};
  if (!put.ignore_value) put.value = *element<std::string>("", "x", "y");
  if (!put.ignore_lease && OneIn(2)) put.lease = AnyLease();
  return put;
}
DeleteOp AnyDelete() { return {.range = AnyRange(), .want_previous = OneIn(3)}; }
Compare AnyCompare() {
  return {.range = OneIn(3) ? AnyRange() : KeyRange::Single(AnyKey()),
          .target = *element(CompareTarget::kVersion, CompareTarget::kCreate, CompareTarget::kMod,
                             CompareTarget::kValue, CompareTarget::kLease),
          .result = *element(CompareResult::kEqual, CompareResult::kGreater, CompareResult::kLess,
                             CompareResult::kNotEqual),
          .number = *inRange<std::int64_t>(0, 12),
          .value = *element<std::string>("", "x", "y")};
}
TxnOp AnyTxn(int depth);
Operation AnyOperation(int depth) {
  switch (*inRange(0, depth > 0 ? 6 : 5)) {
    case 0:
    case 1:
      return AnyPut();
    case 2:
    case 3:
      return AnyQuery();
    case 4:
      return AnyDelete();
    default:
      return AnyTxn(depth - 1);
  }
}
TxnOp AnyTxn(int depth) {
  TxnOp txn;
  for (int i = *inRange(0, 3); i > 0; --i) txn.compares.push_back(AnyCompare());
  for (int i = *inRange(0, 4); i > 0; --i) txn.success.push_back(AnyOperation(depth));
  for (int i = *inRange(0, 3); i > 0; --i) txn.failure.push_back(AnyOperation(depth));
  return txn;
}
Step AnyStep() {
  using std::chrono::seconds;
  switch (*inRange(0, 20)) {
    default:
      return AnyPut();
    case 8:
    case 9:
      return AnyDelete();
    case 10:
    case 11:
      return AnyQuery();
    case 12:
    case 13:
    case 14:
      return AnyTxn(2);
    case 15:
      return CompactStep{Revision{*inRange<std::int64_t>(0, 40)}};
    case 16:
    case 17:
      return GrantStep{AnyLease(), seconds(*inRange(0, 9))};
    case 18:
      return OneIn(2) ? Step(RevokeStep{AnyLease()}) : Step(KeepAliveStep{AnyLease()});
    case 19:
      return WaitStep{seconds(*inRange(1, 6))};
  }
}

// Does every step to both and compares.
class Pair {
 public:
  void operator()(const PutOp& put) { Same(Text(store_.Put(put)), Text(model_.Put(put))); }
  void operator()(const DeleteOp& removal) {
    Same(Text(store_.DeleteRange(removal)), Text(model_.DeleteRange(removal)));
  }
  void operator()(const RangeQuery& query) {
    Same(Text(store_.Range(query)), Text(model_.Range(query)));
  }
  void operator()(const TxnOp& txn) {
    const auto answer = store_.Txn(txn);
    if (!answer && answer.error().ToString() == ErrDuplicateKey().ToString()) {
      RC_TAG("transaction refused for a duplicate key");
      return;
    }
    Same(Text(answer), Text(model_.Txn(txn)));
  }
  void operator()(const CompactStep& step) {
    CompareStates();
    const auto answer = store_.Compact(step.floor);
    Same((answer ? Status() : answer.error()).ToString(), model_.Compact(step.floor).ToString());
    CompareStates();
  }
  void operator()(const GrantStep& step) {
    const auto granted = lessor_.Grant({.id = step.id, .ttl = step.ttl}, now_);
    RC_ASSERT(granted.has_value() == !model_.leases().contains(step.id));
    if (granted) model_.Grant(step.id, {.ttl = granted->ttl, .end = now_ + granted->ttl});
  }
  void operator()(const RevokeStep& step) {
    RC_ASSERT(lessor_.Revoke(step.id).has_value() == model_.leases().contains(step.id));
    model_.EndLease(step.id);
  }
  void operator()(const KeepAliveStep& step) {
    const auto lease = model_.leases().find(step.id);
    RC_ASSERT(lessor_.KeepAlive(step.id, now_).has_value() == (lease != model_.leases().end()));
    if (lease != model_.leases().end()) lease->second.end = now_ + lease->second.ttl;
  }
  void operator()(const WaitStep& step) {
    now_ += step.time;
    const TimePoint next = lessor_.ExpireStep(now_);
    while (const auto overdue = model_.NextOverdue(now_)) model_.EndLease(*overdue);
    RC_ASSERT(next > now_);
  }

  void CompareStates() {
    RC_ASSERT(store_.current() == model_.current());
    const Revision floor = std::max(model_.compacted(), Revision{1});
    for (Revision at = floor; at <= model_.current(); at = at.next()) {
      (*this)(RangeQuery{.range = KeyRange::From(std::string(1, '\0')), .at = at});
    }
    std::vector<std::string> events;
    for (const Event& event :
         store_.ReadHistory(floor, model_.current(), WithPrevious::kYes).events) {
      events.push_back(TextOf(event));
    }
    RC_ASSERT(events == model_.EventsFrom(floor));
    for (const auto& [id, lease] : model_.leases()) {
      const auto state = lessor_.Find(id, now_);
      RC_ASSERT(state.has_value());
      RC_ASSERT(state->keys == model_.KeysOf(id));
      RC_ASSERT(now_ + state->remaining == lease.end);  // time goes by in whole seconds here
    }
  }

 private:
  static std::string TextOf(const Event& event) {
    const KeyValue& kv = event.change->kv;
    std::string text = fmt::format("{} {}={}@{} lease {}",
                                   event.change->kind == ChangeKind::kPut ? "put" : "delete",
                                   kv.key, kv.value, kv.mod, kv.lease);
    if (event.previous) text += " was " + event.previous->kv.value;
    return text;
  }
  static void Same(const std::string& store, const std::string& model) {
    RC_ASSERT(store == model);
  }

  MvccStore store_;
  Lessor lessor_{store_, {}, Prng(1)};
  NaiveStore model_;
  TimePoint now_ = TimePoint{} + 1h;
};

TEST(StoreAndLeases, MatchTheNaiveModel) {
  // The same sequences in every run, unless RC_PARAMS is set.
  setenv("RC_PARAMS", "max_success=3000 seed=1", /*overwrite=*/0);
  EXPECT_TRUE(rc::check("random operations leave store and model alike", [] {
    const auto steps = *rc::gen::container<std::vector<Step>>(rc::gen::exec(AnyStep));
    Pair pair;
    for (const Step& step : steps) std::visit(pair, step);
    pair.CompareStates();
  }));
}

}  // namespace

void showValue(const Step& step, std::ostream& out) {  // NOLINT
  out << std::visit([](const auto& one) { return Text(one); }, step);
}

}  // namespace watchproof::store
