// SPDX-License-Identifier: Apache-2.0
#include "harness/checkers/response_checker.h"

#include <algorithm>
#include <set>
#include <utility>

#include "harness/checkers/phrases.h"
#include "harness/model/refusals.h"

namespace watchproof {
namespace {

std::string Phrase(const KeyValueView& kv) {
  return fmt::format("{} = {} of revision {} (created at {}, version {}{})", Quoted(kv.key),
                     Quoted(kv.value), kv.mod_revision, kv.create_revision, kv.version,
                     kv.lease == 0 ? "" : fmt::format(", lease {}", kv.lease));
}
std::string NoKey(std::string_view key) { return fmt::format("no key {}", Quoted(key)); }

// An order of RangeRequest, and the fields that keys can be sorted by.
constexpr std::int64_t kDescending = 2;
constexpr std::int64_t kByValue = 4;
constexpr const char* kFields[] = {"key", "version", "create revision", "mod revision", "value"};

std::set<std::string_view> KeysOf(const std::vector<KeyValueView>& kvs) {
  std::set<std::string_view> keys;
  for (const KeyValueView& kv : kvs) keys.insert(kv.key);
  return keys;
}

// Whether an answer that shows both must show `a` first. Never for a field that is not known.
bool Precedes(const RangeRequestView& range, const KeyValueView& a, const KeyValueView& b) {
  const KeyValueView& first = range.sort_order == kDescending ? b : a;
  const KeyValueView& second = range.sort_order == kDescending ? a : b;
  switch (range.sort_target) {
    case 0:
      return first.key < second.key;
    case 1:
      return first.version < second.version;
    case 2:
      return first.create_revision < second.create_revision;
    case 3:
      return first.mod_revision < second.mod_revision;
    case kByValue:
      return first.value < second.value;
    default:
      return false;
  }
}

// Clauses of the contract.
constexpr std::string_view kLimit = "K-10";
constexpr std::string_view kCount = "K-11";
constexpr std::string_view kCountOnly = "K-12";
constexpr std::string_view kOrder = "K-15";
constexpr std::string_view kBounds = "K-16";
constexpr std::string_view kReadInParts = "K-17";
constexpr std::string_view kPreviousOnRequest = "K-22";
constexpr std::string_view kKeeps = "K-23";
constexpr std::string_view kBranchOfCompares = "K-28";

}  // namespace

void ResponseChecker::Begin(const RecordedCall& call) {
  call_ = &call;
  examined_ = {};
  clause_ = {};
}

Examined ResponseChecker::Check(const RecordedCall& call, std::optional<Revision> made) {
  Begin(call);
  changes_ = made.has_value();
  seen_ = made ? made->previous() : call.revision;
  if (call.method == Method::kTxn) Branch(call.request.view(), call.response.view());
  if (made) keys_.MoveTo(*made);
  Operate(call.method, call.request.view(), call.response.view());
  return std::move(examined_);
}

Examined ResponseChecker::CheckRead(const RecordedCall& call, std::string_view request,
                                    std::string_view response) {
  Begin(call);
  changes_ = false;
  Range(request, response);
  return std::move(examined_);
}

Examined ResponseChecker::CheckRefusal(const RecordedCall& call) {
  Begin(call);
  const Conditional conditions = ConditionsOf(call.method, call.request.view());
  const bool all = std::ranges::all_of(conditions.kept, [this](std::string_view key) {
    return keys_.Look(key).knowledge == Knowledge::kAlive;
  });
  if (all) {
    const Found found = keys_.Look(conditions.kept.front());
    examined_.wrong = Mismatch{
        .expected = fmt::format("an answer: every key that it keeps a value or lease of is there, "
                                "such as {} at revision {}",
                                Phrase(found.facts->kv), keys_.at()),
        .observed = fmt::format("a refusal as {} in line {}", Name(call.code), call.ended.value),
        .reported = found.facts->line};
  }
  return std::move(examined_);
}

void ResponseChecker::Wrong(std::string expected, std::string observed, Line reported,
                            const Symptom& symptom) {
  if (examined_.wrong) return;
  examined_.wrong = Mismatch{std::move(expected),
                             fmt::format("{} in line {}, answered with revision {}",
                                         std::move(observed), call_->ended.value, call_->revision),
                             reported, symptom, clause_};
}

// A key from before the recording becomes known with the first answer that shows it.
void ResponseChecker::Undecide(const Found& found) {
  if (found.facts != nullptr || keys_.began_empty()) examined_.whole = false;
}

ResponseChecker::Listing ResponseChecker::List(const KeyRange& range) const {
  Listing listing;
  const auto add = [&listing](std::string_view key, const Found& found) {
    listing.rows.push_back({key, found});
    if (found.knowledge == Knowledge::kAlive) ++listing.alive;
    if (found.knowledge == Knowledge::kUnknown) ++listing.unknown;
  };
  if (range.single()) {
    add(range.first(), keys_.Look(range.first()));
    return listing;
  }
  keys_.Each(range, add);
  listing.unknown_keys = keys_.MayHoldUnknownKeys(range);
  return listing;
}

// All compares, those of nested transactions too, use the state before the first operation.
void ResponseChecker::Branch(std::string_view request, std::string_view response) {
  TxnRequestView txn;
  TxnResponseView answer;
  if (!Parse(request, txn).ok() || !Parse(response, answer).ok()) return;
  std::optional<bool> expected = true;
  for (const std::string_view message : txn.compare) {
    CompareView compare;
    const auto holds = Parse(message, compare).ok() ? Holds(compare) : std::nullopt;
    if (holds == false) expected = false;
    if (!holds && expected == true) expected = std::nullopt;
    if (expected == false) break;
  }
  if (!expected) examined_.whole = false;
  if (expected && *expected != answer.succeeded) {
    clause_ = kBranchOfCompares;
    Wrong(fmt::format("the {} branch, since its compares {} at revision {}",
                      *expected ? "success" : "failure", *expected ? "hold" : "do not hold",
                      keys_.at()),
          fmt::format("the {} branch", answer.succeeded ? "success" : "failure"));
  }
  const std::vector<OperationView>& ran = answer.succeeded ? txn.success : txn.failure;
  for (std::size_t i = 0; i < std::min(ran.size(), answer.responses.size()); ++i) {
    if (ran[i].kind == Method::kTxn) Branch(ran[i].body, answer.responses[i].body);
  }
}

// For a range it must hold for each existing key.
std::optional<bool> ResponseChecker::Holds(const CompareView& compare) const {
  const Listing listing = List(KeyRange(compare.key, compare.range_end));
  bool all_known = listing.known();
  for (const Row& row : listing.rows) {
    if (row.found.knowledge != Knowledge::kAlive) continue;
    const auto holds = HoldsFor(compare, row.found.facts);
    if (holds == false) return false;
    all_known = all_known && holds.has_value();
  }
  if (!all_known) return std::nullopt;
  return listing.alive > 0 || *HoldsFor(compare, nullptr);
}

void ResponseChecker::Operate(Method kind, std::string_view request, std::string_view response) {
  switch (kind) {
    case Method::kRange:
      return Range(request, response);
    case Method::kPut:
      return Put(request, response);
    case Method::kDeleteRange:
      return Delete(request, response);
    case Method::kTxn:
      return Operations(request, response);
    default:
      return;
  }
}

void ResponseChecker::Operations(std::string_view request, std::string_view response) {
  TxnRequestView txn;
  TxnResponseView answer;
  if (!Parse(request, txn).ok() || !Parse(response, answer).ok()) return;
  const std::vector<OperationView>& ran = answer.succeeded ? txn.success : txn.failure;
  for (std::size_t i = 0; i < std::min(ran.size(), answer.responses.size()); ++i) {
    Operate(ran[i].kind, ran[i].body, answer.responses[i].body);
    CheckSeen(ran[i].kind, answer.responses[i].body);
  }
}

// An operation is at the revision at which its transaction began, or, once it has changed
// something, at the one that it makes.
void ResponseChecker::CheckSeen(Method kind, std::string_view response) {
  DeleteRangeResponseView deleted;
  const bool changes =
      kind == Method::kPut ||
      (kind == Method::kDeleteRange && Parse(response, deleted).ok() && deleted.deleted > 0);
  if (changes && changes_) seen_ = call_->revision;
  HeaderView header;
  if (!ParseHeader(response, header).ok()) return;
  // Not every store says it, and etcd not of a transaction in one; but of one kind always.
  if (header.revision == 0 && !saying_.contains(kind)) return;
  saying_.insert(kind);
  if (Revision(header.revision) == seen_) return;
  clause_ = {};
  Wrong(fmt::format("a {} in the transaction at revision {}", InfoOf(kind).name, seen_),
        fmt::format("one at revision {}", header.revision));
}

void ResponseChecker::Put(std::string_view request, std::string_view response) {
  PutRequestView put;
  PutResponseView answer;
  if (!Parse(request, put).ok() || !Parse(response, answer).ok()) return;
  const Found found = keys_.Look(put.key);
  clause_ = kKeeps;
  if ((put.ignore_value || put.ignore_lease) && found.knowledge == Knowledge::kAbsent) {
    Wrong(fmt::format("the put to be refused: it keeps the {} of {}, which is not there",
                      put.ignore_value ? "value" : "lease", Quoted(put.key)),
          "an answer", found.facts == nullptr ? Line() : found.facts->line);
  }
  clause_ = kPreviousOnRequest;
  if (put.prev_kv) {
    if (answer.has_previous) {
      CheckKey(put.key, found, answer.previous, false);
    } else if (found.knowledge == Knowledge::kAlive) {
      Wrong(fmt::format("the previous {}", Phrase(found.facts->kv)), "no previous key",
            found.facts->line);
    } else if (found.knowledge == Knowledge::kUnknown) {
      Undecide(found);
    }
  }
  if (!changes_) return;
  keys_.Apply({.key = put.key,
               .value = put.value,
               .keeps_value = put.ignore_value,
               .lease = put.lease,
               .keeps_lease = put.ignore_lease},
              keys_.at(), call_->began);
}

void ResponseChecker::Delete(std::string_view request, std::string_view response) {
  DeleteRangeRequestView erase;
  DeleteRangeResponseView answer;
  if (!Parse(request, erase).ok() || !Parse(response, answer).ok()) return;
  const KeyRange range(erase.key, erase.range_end);
  const Listing listing = List(range);
  clause_ = {};
  CheckCount(listing, answer.deleted, "deleted");
  clause_ = kPreviousOnRequest;
  if (erase.prev_kv) {
    for (const KeyValueView& kv : answer.previous) CheckShown(listing, range, kv, false);
    CheckOrder({}, answer.previous);
    CheckCount(listing, static_cast<std::int64_t>(answer.previous.size()), "previous");
  }
  if (!changes_ || answer.deleted == 0) return;
  keys_.Apply({.deletes = true, .key = erase.key, .range_end = erase.range_end}, keys_.at(),
              call_->began);
}

void ResponseChecker::Range(std::string_view request, std::string_view response) {
  RangeRequestView range;
  RangeResponseView answer;
  if (!Parse(request, range).ok() || !Parse(response, answer).ok()) return;
  // Inside a transaction: compared where the keys are at its revision.
  if (range.revision > 0 && Revision(range.revision) != keys_.at()) return;
  const KeyRange keys(range.key, range.range_end);
  const Listing listing = List(keys);
  clause_ = {};
  for (const KeyValueView& kv : answer.kvs) CheckShown(listing, keys, kv, range.keys_only);
  const bool each_right = !examined_.wrong;
  clause_ = kCount;
  CheckCount(listing, answer.count, "counted");
  if (range.count_only) {
    clause_ = kCountOnly;
    if (!answer.kvs.empty()) Wrong("a count and no keys", "keys");
    if (answer.more) Wrong("a count and no more keys", "the field more is true");
  } else {
    clause_ = kBounds;
    CheckBounds(range, answer.kvs);
    clause_ = kOrder;
    CheckOrder(range, answer.kvs);
    clause_ = kLimit;
    CheckComplete(listing, range, answer);
    const bool sorted_in_parts = call_->in_parts && range.sort_target != 0 && range.sort_order == 0;
    if (each_right && examined_.wrong && sorted_in_parts) {
      examined_.wrong->symptom = symptom::SortedInParts{};
      examined_.wrong->clause = kReadInParts;
    }
  }
  if (!range.filtered()) LearnFrom(listing, keys, range, answer);
}

void ResponseChecker::CheckShown(const Listing& listing, const KeyRange& range,
                                 const KeyValueView& kv, bool keys_only) {
  const auto row = std::lower_bound(listing.rows.begin(), listing.rows.end(), kv.key,
                                    [](const Row& r, std::string_view key) { return r.key < key; });
  if (row != listing.rows.end() && row->key == kv.key) {
    return CheckKey(kv.key, row->found, kv, keys_only);
  }
  if (!range.Contains(kv.key)) {
    return Wrong(fmt::format("keys of {} only", watchproof::Phrase(range)), Phrase(kv));
  }
  CheckKey(kv.key, keys_.Look(kv.key), kv, keys_only);
}

void ResponseChecker::CheckKey(std::string_view key, const Found& found, const KeyValueView& kv,
                               bool keys_only) {
  if (kv.key != key) return Wrong(fmt::format("the key {}", Quoted(key)), Phrase(kv));
  switch (found.knowledge) {
    case Knowledge::kAlive:
      return CheckFacts(*found.facts, kv, keys_only);
    case Knowledge::kAbsent:
      return Wrong(fmt::format("{} at revision {}", NoKey(key), keys_.at()), Phrase(kv),
                   found.facts == nullptr ? Line() : found.facts->line);
    case Knowledge::kUnknown:
      break;
  }
  Undecide(found);
  // The last known state still holds if no later write has changed the key.
  if (found.facts != nullptr && Revision(kv.mod_revision) <= found.facts->since) {
    if (found.facts->alive) return CheckFacts(*found.facts, kv, keys_only);
    return Wrong(
        fmt::format("{} at revision {}, unless it was put later", NoKey(key), found.facts->since),
        Phrase(kv), found.facts->line);
  }
  CheckOrigin(kv, keys_only);
}

void ResponseChecker::CheckFacts(const KeyFacts& facts, const KeyValueView& kv, bool keys_only) {
  const bool shown = !keys_.without_metadata();
  const auto agrees = [&](std::string_view field, std::int64_t reported, std::int64_t known) {
    return reported == known || IsUnset(deviations_, field, reported);
  };
  const bool metadata = !shown || !facts.metadata_known ||
                        (agrees("create_revision", kv.create_revision, facts.kv.create_revision) &&
                         agrees("version", kv.version, facts.kv.version));
  const bool value =
      keys_only ? kv.value.empty() : !facts.value_known || kv.value == facts.kv.value;
  const bool lease = !shown || !facts.lease_known || agrees("lease", kv.lease, facts.kv.lease);
  const bool but_lease = metadata && value && kv.mod_revision == facts.kv.mod_revision;
  if (but_lease && lease) return;
  const bool left_out = but_lease && keys_only && kv.lease == 0;
  Wrong(fmt::format("{} at revision {}", Phrase(facts.kv), keys_.at()), Phrase(kv), facts.line,
        left_out ? Symptom(symptom::LeaseMissing{}) : Symptom());
}

// The mod revision of a key names the write that made its state.
void ResponseChecker::CheckOrigin(const KeyValueView& kv, bool keys_only) {
  const Revision revision(kv.mod_revision);
  if (revision > keys_.at()) {
    return Wrong(fmt::format("nothing later than revision {}", keys_.at()), Phrase(kv));
  }
  const auto writer = writers_.by_revision().find(revision);
  if (writer == writers_.by_revision().end() || writer->second.call == nullptr) return;
  const std::vector<Operation>& operations = writer->second.operations;
  const bool so = std::any_of(operations.begin(), operations.end(), [&](const Operation& op) {
    if (op.deletes || op.key != kv.key) return false;
    return keys_only ? kv.value.empty() : op.keeps_value || op.value == kv.value;
  });
  if (so) return;
  Wrong(
      fmt::format("what line {} wrote at revision {}", writer->second.call->began.value, revision),
      Phrase(kv), writer->second.call->began);
}

void ResponseChecker::CheckBounds(const RangeRequestView& range,
                                  const std::vector<KeyValueView>& kvs) {
  for (const KeyValueView& kv : kvs) {
    if (range.Shows(kv.mod_revision, kv.create_revision)) continue;
    return Wrong("keys within the revisions that were asked for only", Phrase(kv));
  }
}

// By another field than the key, equal ones come in any order, and no order means ascending.
void ResponseChecker::CheckOrder(const RangeRequestView& range,
                                 const std::vector<KeyValueView>& kvs) {
  if (kvs.size() < 2) return;
  std::set<std::string_view> shown;
  for (const KeyValueView& kv : kvs) {
    if (!shown.insert(kv.key).second) return Wrong("each key once", Phrase(kv) + " once more");
  }
  std::optional<KeyValueView> behind = Sorted(range, kvs.front());
  for (std::size_t i = 1; i < kvs.size(); ++i) {
    const auto before = std::exchange(behind, Sorted(range, kvs[i]));
    if (!before || !behind) continue;
    const bool once = range.sort_target != 0 || before->key != behind->key;
    if (once && !Precedes(range, *behind, *before)) continue;
    return Wrong(fmt::format("each key once, by their {}, {}", kFields[range.sort_target],
                             range.sort_order == kDescending ? "falling" : "rising"),
                 fmt::format("{} after {}", Phrase(*behind), Phrase(*before)));
  }
}

// A read without values is sorted by them all the same.
std::optional<KeyValueView> ResponseChecker::Sorted(const RangeRequestView& range,
                                                    const KeyValueView& kv) {
  if (range.sort_target != kByValue || !range.keys_only) return kv;
  const Found found = keys_.Look(kv.key);
  if (found.knowledge == Knowledge::kAlive && found.facts->value_known) return found.facts->kv;
  examined_.whole = false;
  return std::nullopt;
}

// All that is asked for and there, up to the limit. etcd fetches one key more than the
// limit, in the order of keys, where a request names a field and neither an order nor bounds: which
// are shown then is not promised.
void ResponseChecker::CheckComplete(const Listing& listing, const RangeRequestView& range,
                                    const RangeResponseView& answer) {
  const bool limited = range.limit > 0;
  const auto limit = static_cast<std::size_t>(std::max<std::int64_t>(range.limit, 0));
  const bool full = limited && answer.kvs.size() >= limit;
  if (limited && answer.kvs.size() > limit) {
    return Wrong(fmt::format("at most {} keys", limit), fmt::format("{} keys", answer.kvs.size()));
  }
  bool known = listing.known();
  std::vector<const Row*> wanted;
  for (const Row& row : listing.rows) {
    if (row.found.knowledge != Knowledge::kAlive) continue;
    const KeyFacts& facts = *row.found.facts;
    known = known && (facts.metadata_known || !range.filtered());
    if (!facts.metadata_known && range.filtered()) continue;
    if (range.Shows(facts.kv.mod_revision, facts.kv.create_revision)) wanted.push_back(&row);
  }
  if (known || !limited) {
    const bool more = limited && wanted.size() > limit;
    if (answer.more != more) {
      Wrong(fmt::format("{} keys than these", more ? "more" : "no more"),
            fmt::format("the field more is {}", answer.more ? "true" : "false"));
    }
  }
  if (full && !known) examined_.whole = false;
  // Any may be shown then.
  if (full && range.sort_target != 0 && range.sort_order == 0 && !range.filtered()) return;
  const std::set<std::string_view> shown = KeysOf(answer.kvs);
  std::optional<std::optional<KeyValueView>> last;  // of those within the limit
  for (const Row* const row : wanted) {
    const KeyFacts& facts = *row->found.facts;
    if (shown.contains(row->key)) continue;
    const bool in_order = facts.metadata_known && facts.value_known;
    if (full && !in_order && range.sort_target != 0) continue;
    if (full && !last) last = Sorted(range, answer.kvs.back());
    // It comes after the last.
    if (full && (!*last || !Precedes(range, facts.kv, **last))) continue;
    clause_ = {};
    return Wrong(fmt::format("{} at revision {}", Phrase(facts.kv), keys_.at()), NoKey(row->key),
                 facts.line);
  }
}

void ResponseChecker::CheckCount(const Listing& listing, std::int64_t count, const char* word) {
  const auto alive = static_cast<std::int64_t>(listing.alive);
  if (!listing.known()) {
    for (const Row& row : listing.rows) {
      if (row.found.knowledge == Knowledge::kUnknown) Undecide(row.found);
    }
    if (listing.unknown_keys && keys_.began_empty()) examined_.whole = false;
    const bool possible =
        count >= alive &&
        (listing.unknown_keys || count <= alive + static_cast<std::int64_t>(listing.unknown));
    if (possible) return;
  } else if (count == alive) {
    return;
  }
  Wrong(fmt::format("{}{} {} at revision {}", listing.known() ? "" : "at least ", alive,
                    alive == 1 ? "key" : "keys", keys_.at()),
        fmt::format("{} {}", count, word));
}

void ResponseChecker::LearnFrom(const Listing& listing, const KeyRange& range,
                                const RangeRequestView& request, const RangeResponseView& answer) {
  if (listing.known() || examined_.wrong) return;
  if (request.count_only && range.single() && answer.count == 0) {
    return keys_.LearnAbsent(range.first(), call_->ended);
  }
  const bool all = !answer.more && !request.count_only && !request.keys_only;
  if (!all) return;
  const std::set<std::string_view> shown = KeysOf(answer.kvs);
  for (const Row& row : listing.rows) {
    if (row.found.knowledge == Knowledge::kUnknown && !shown.contains(row.key)) {
      keys_.LearnAbsent(row.key, call_->ended);
    }
  }
  for (const KeyValueView& kv : answer.kvs) {
    if (keys_.Look(kv.key).knowledge == Knowledge::kUnknown) keys_.Learn(kv, call_->ended);
  }
  if (listing.unknown_keys) keys_.KeepUnknownKeys(range);
}

}  // namespace watchproof
