// SPDX-License-Identifier: Apache-2.0
#include "harness/script/sweeps.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace watchproof::explore {
namespace {

constexpr std::size_t kValueBytes = 12;
constexpr std::size_t kLongBytes = 3000;

bool AllowsAny(const Row&) { return true; }

// Not for certain another value than the first.
bool First(std::uint8_t value) { return value == 0 || value == kUndecided; }
// For certain one from here on.
bool AtLeast(std::uint8_t value, std::uint8_t from) { return value != kUndecided && value >= from; }

// The places of parameters in a row, in the order of their model.
enum ReadOption { kRange, kAt, kLimit, kOrder, kBy, kContent, kCount, kBounds, kEdge, kReadForm };
enum PutOption {
  kWrites,
  kState,
  kLease,
  kValue,
  kKeepsValue,
  kKeepsLease,
  kAsksPrevious,
  kWriteForm
};
enum CompareOption { kTarget, kResult, kSubject, kOperand, kOf, kBeside, kThen, kElse };
enum RefusalOption { kReason, kPlace, kNeighbour };

// Which bounds of revisions a read has, and which a value of that option is.
constexpr unsigned kMinMod = 1;
constexpr unsigned kMaxMod = 2;
constexpr unsigned kMinCreate = 4;
constexpr unsigned kMaxCreate = 8;
constexpr unsigned kBoundsOf[] = {0,
                                  0,
                                  0,
                                  kMinMod,
                                  kMaxMod,
                                  kMinMod | kMaxMod,
                                  kMinCreate,
                                  kMaxCreate,
                                  kMinCreate | kMaxCreate,
                                  kMinMod | kMaxMod | kMinCreate | kMaxCreate};
constexpr std::uint8_t kFirstBounds = 3;    // in these
constexpr std::uint8_t kFirstDeletion = 2;  // among the writes

// Where an option has no effect, no row is spent on its values.
bool AllowsRead(const Row& row) {
  const bool bounded = AtLeast(row[kBounds], kFirstBounds) || row[kBounds] == kUndecided;
  return bounded || First(row[kEdge]);
}
// RangeStream refuses orders and bounds, since it would need all keys before it sends the first.
bool AllowsPart(const Row& row) {
  const bool ordered = AtLeast(row[kOrder], 2) || (row[kOrder] == 1 && AtLeast(row[kBy], 1));
  const bool transaction = AtLeast(row[kReadForm], 2);
  return !ordered && !transaction && !AtLeast(row[kBounds], kFirstBounds) && AllowsRead(row);
}
bool AllowsWrite(const Row& row) {
  return !AtLeast(row[kWrites], kFirstDeletion) ||
         (First(row[kLease]) && First(row[kValue]) && First(row[kKeepsValue]) &&
          First(row[kKeepsLease]));
}
bool AllowsRefusal(const Row& row) {
  const bool alone = row[kPlace] == 0;
  return !alone || First(row[kNeighbour]);
}

// A value that would hide what other options do has fewer than its share.
const Model& Reads() {
  static const Model model{
      {{"range", {"key", "absent", "prefix", "prefix 2", "part", "from key", "empty"}},
       {"at", {"now", "now 2", "head", "head-1", "between", "floor", "below floor", "beyond head"}},
       {"limit", {"none", "one", "some", "but one", "all", "more"}},
       {"order", {"none", "rising", "falling"}},
       {"by", {"key", "version", "create", "mod", "value"}},
       {"content", {"whole", "whole 2", "keys"}},
       {"count", {"no", "no 2", "no 3", "only"}},
       {"bounds",
        {"none", "none 2", "none 3", "min mod", "max mod", "mod", "min create", "max create",
         "create", "all"}},
       {"edge", {"below", "equal", "above"}},
       {"form", {"alone", "serializable", "in a transaction"}}},
      AllowsRead};
  return model;
}

const Model& Parts() {
  static const Model model{Reads().parameters, AllowsPart};
  return model;
}

const Model& Writes() {
  static const Model model{
      {{"writes",
        {"put", "put 2", "deletion", "deletion of two", "deletion to the end", "deletion of none"}},
       {"state", {"absent", "plain", "on the lease", "on the other"}},
       {"lease", {"none", "the lease", "the other", "one that ended"}},
       {"value", {"new", "empty", "long", "of another"}},
       {"keeps value", {"no", "yes"}},
       {"keeps lease", {"no", "yes"}},
       {"previous", {"no", "yes"}},
       {"form", {"alone", "in a transaction", "nested", "beside others", "guarded by revision"}}},
      AllowsWrite};
  return model;
}

const Model& Compares() {
  static const Model model{
      {{"target", {"version", "create", "mod", "value", "lease"}},
       {"result", {"equal", "greater", "less", "not equal"}},
       {"subject", {"key", "key 2", "absent", "prefix", "part", "from key", "no key"}},
       {"operand", {"below", "equal", "above", "zero"}},
       {"of", {"first", "last", "least", "greatest"}},
       {"beside", {"alone", "what holds", "what does not"}},
       {"then", {"put", "deletion", "mixed", "nested", "nothing"}},
       {"else", {"put", "deletion", "mixed", "nested", "nothing"}}},
      AllowsAny};
  return model;
}

constexpr std::size_t kTooMany = 129;  // operations of a transaction
// The first of them need a transaction.
enum Reason {
  kCompareNoKey,
  kTwice,
  kPutAndDeleted,
  kPutInDeleted,
  kOperations,
  kReadNoKey,
  kPutNoKey,
  kDeleteNoKey,
  kValueAndKept,
  kLeaseAndKept,
  kKeptValueAbsent,
  kKeptLeaseAbsent,
  kLeaseEnded,
  kBeyondHead,
  kBelowFloor
};
const Model& Refusals() {
  static const Model model{
      {{"reason",
        {"a compare without a key", "a key put twice", "a key put and deleted",
         "a key put and in a deleted range", "too many operations", "a read without a key",
         "a put without a key", "a deletion without a key", "a value beside a kept one",
         "a lease beside a kept one", "the kept value of no key", "the kept lease of no key",
         "a lease that ended", "a read beyond the head", "a read below the floor"}},
       {"place", {"alone", "then", "else", "nested", "a branch that does not run"}},
       {"neighbour", {"none", "a put before", "a put behind"}}},
      AllowsRefusal};
  return model;
}

// Pairs first, then combinations of three.
std::vector<Row> DrawRows(const Model& model, std::size_t size, Prng prng) {
  std::vector<Row> rows;
  Combinations pairs(model, 2);
  Combinations triples(model, 3);
  while (rows.size() < size) {
    auto row = pairs.NextRow(prng);
    if (!row) row = triples.NextRow(prng);
    if (!row) break;
    pairs.Add(*row);
    triples.Add(*row);
    rows.push_back(*row);
  }
  return rows;
}

std::int64_t NumberOf(const KeyValueView& kv, CompareTarget target) {
  switch (target) {
    case CompareTarget::kVersion:
      return kv.version;
    case CompareTarget::kCreate:
      return kv.create_revision;
    case CompareTarget::kMod:
      return kv.mod_revision;
    case CompareTarget::kLease:
      return kv.lease;
    case CompareTarget::kValue:
      break;
  }
  return 0;
}

}  // namespace

const Model& SweepModel(SweepOf of) {
  switch (of) {
    case SweepOf::kReads:
      return Reads();
    case SweepOf::kParts:
      return Parts();
    case SweepOf::kWrites:
      return Writes();
    case SweepOf::kCompares:
      return Compares();
    case SweepOf::kRefusals:
      break;
  }
  return Refusals();
}

const std::vector<std::string>& Sweep::KeysOf(SweepOf of) {
  static const std::vector<std::string> many = {"a", "b", "c", "d", "e", "f", "g"};
  static const std::vector<std::string> few = {"a", "b", "c"};
  // etcd begins with a part of ten keys, and doubles them from part to part.
  static const std::vector<std::string> in_parts = {"a", "b", "c", "d", "e", "f", "g", "h", "i",
                                                    "j", "k", "l", "m", "n", "o", "p", "q", "r",
                                                    "s", "t", "u", "v", "w", "x", "y", "z"};
  if (of == SweepOf::kParts) return in_parts;
  return of == SweepOf::kWrites ? few : many;
}

Sweep::Sweep(SweepOf of, SweepGround ground, std::size_t size, Prng prng)
    : of_(of),
      ground_(std::move(ground)),
      prng_(std::move(prng)),
      rows_(DrawRows(SweepModel(of), size, prng_.Fork("rows"))) {}

ReadRequest Sweep::ReadAll() const { return {.key = ground_.prefix, .range_end = ground_.end}; }

KvRequest Sweep::Request(std::size_t index, const SweepSight& seen) const {
  const Row& row = rows_[index];
  switch (of_) {
    case SweepOf::kReads:
    case SweepOf::kParts: {
      const ReadRequest read = Read(row, seen, Random(index));
      if (row[kReadForm] < 2) return read;
      return TxnRequest{.success = {read}};
    }
    case SweepOf::kWrites:
      return Write(row, Random(index));
    case SweepOf::kCompares:
      return Compare(row, seen, Random(index));
    case SweepOf::kRefusals:
      break;
  }
  return Refused(row, seen, Random(index));
}

ReadRequest Sweep::Read(const Row& row, const SweepSight& seen, Prng prng) const {
  const auto all = static_cast<std::int64_t>(seen.keys.size());
  const std::int64_t limits[] = {0, 1, all / 2, all - 1, all, all + 1};
  ReadRequest read{.limit = limits[row[kLimit]],
                   .serializable = row[kReadForm] == 1,
                   .count_only = row[kCount] == 3,
                   .keys_only = row[kContent] == 2,
                   .order = static_cast<ReadRequest::Order>(row[kOrder]),
                   .sort_by = static_cast<ReadRequest::By>(row[kBy])};
  const std::string some = seen.keys.empty() ? Key("b") : std::string(prng.Pick(seen.keys).key);
  const std::pair<std::string, std::string> ranges[] = {{some, ""},
                                                        {Key("bb"), ""},
                                                        {ground_.prefix, ground_.end},
                                                        {ground_.prefix, ground_.end},
                                                        {Key("b"), Key("e")},
                                                        {Key("b"), ground_.no_end},
                                                        {Key("e"), Key("b")}};
  std::tie(read.key, read.range_end) = ranges[row[kRange]];
  const Revision between(
      prng.Between(std::max<std::int64_t>(seen.floor.value, 1), seen.head.value));
  const Revision at[] = {{},
                         {},
                         seen.head,
                         seen.head.previous(),
                         between,
                         seen.floor,
                         seen.floor.previous(),
                         seen.head.plus(1000)};
  read.revision = std::max(at[row[kAt]], Revision(0));
  // Each bound is that of a key, or next to it, and mostly leaves some between it and the other.
  const unsigned bounds = kBoundsOf[row[kBounds]];
  const auto bound = [&](unsigned which, std::int64_t KeyValueView::*field) {
    if ((bounds & which) == 0 || seen.keys.empty()) return Revision();
    const std::int64_t one = prng.Pick(seen.keys).*field;
    const std::int64_t other = prng.Pick(seen.keys).*field;
    const bool upper = (which & (kMaxMod | kMaxCreate)) != 0;
    return Revision((upper ? std::max(one, other) : std::min(one, other)) + row[kEdge] - 1);
  };
  read.min_mod = bound(kMinMod, &KeyValueView::mod_revision);
  read.max_mod = bound(kMaxMod, &KeyValueView::mod_revision);
  read.min_create = bound(kMinCreate, &KeyValueView::create_revision);
  read.max_create = bound(kMaxCreate, &KeyValueView::create_revision);
  return read;
}

// The keys of writes: the one in the middle is as the row says, the others are beside it.
std::optional<KvRequest> Sweep::Before(std::size_t index) const {
  if (of_ != SweepOf::kWrites) return std::nullopt;
  Prng prng = Random(index).Fork("before");
  const std::int64_t leases[] = {0, 0, ground_.lease, ground_.other_lease};
  const std::size_t state = rows_[index][kState];
  TxnRequest txn;
  for (const std::string& name : KeysOf(of_)) {
    const bool middle = name == "b";
    if (middle && state == 0) {
      txn.success.emplace_back(DeleteRequest{.key = Key(name)});
    } else {
      txn.success.emplace_back(PutRequest{
          .key = Key(name), .value = prng.Word(kValueBytes), .lease = middle ? leases[state] : 0});
    }
  }
  return txn;
}

PutRequest Sweep::Put(const Row& row, Prng prng) const {
  const std::int64_t leases[] = {0, ground_.lease, ground_.other_lease, ground_.ended_lease};
  const bool keeps_value = row[kKeepsValue] == 1;
  const bool keeps_lease = row[kKeepsLease] == 1;
  PutRequest put{.key = Key("b"),
                 .lease = leases[row[kLease]],
                 .previous = row[kAsksPrevious] == 1,
                 .keeps_value = keeps_value,
                 .keeps_lease = keeps_lease};
  const std::string values[] = {prng.Word(kValueBytes), "", prng.Word(kLongBytes), "a value"};
  // Most of those that keep something name nothing in its place, which is refused.
  if (!keeps_value || row[kValue] == 3) put.value = values[row[kValue]];
  if (keeps_lease && row[kLease] != 2) put.lease = 0;
  return put;
}

KvRequest Sweep::Write(const Row& row, Prng prng) const {
  const bool previous = row[kAsksPrevious] == 1;
  const std::size_t form = row[kWriteForm];
  switch (row[kWrites]) {
    case 0:
    case 1:
      return Placed(Put(row, prng.Fork("put")), form, prng);
    case 2:
      return Placed(DeleteRequest{.key = Key("b"), .previous = previous}, form, prng);
    case 3:
      return Placed(DeleteRequest{.key = Key("a"), .range_end = Key("c"), .previous = previous},
                    form, prng);
    case 4:
      return Placed(DeleteRequest{.key = Key("b"), .range_end = ground_.end, .previous = previous},
                    form, prng);
    default:
      return Placed(DeleteRequest{.key = Key("c"), .range_end = Key("a"), .previous = previous},
                    form, prng);
  }
}

KvRequest Sweep::Placed(const KvRequest& write, std::size_t form, Prng prng) const {
  switch (form) {
    case 0:
      return write;
    case 1:
      return TxnRequest{.success = {write}};
    case 2:
      return TxnRequest{.success = {ReadAll(), TxnRequest{.success = {write}}, ReadAll()}};
    case 3:
      return TxnRequest{.success = {DeleteRequest{.key = Key("aa"), .range_end = Key("ab")},
                                    ReadAll(), write, ReadAll(),
                                    PutRequest{.key = Key("Z"), .value = prng.Word(kValueBytes)}}};
    default:
      // As Kubernetes writes a key that is new to it: absent or not, one of the branches runs.
      return TxnRequest{.compares = {{.key = Key("b"), .target = CompareTarget::kMod}},
                        .success = {write},
                        .failure = {ReadRequest{.key = Key("b")}}};
  }
}

TxnRequest Sweep::Compare(const Row& row, const SweepSight& seen, Prng prng) const {
  const auto target = static_cast<CompareTarget>(row[kTarget]);
  CompareRequest compare{.target = target, .result = static_cast<CompareResult>(row[kResult])};
  // The operand is the number of one of the keys.
  const auto number = [target](const KeyValueView& kv) { return NumberOf(kv, target); };
  const auto by_target = [&](const KeyValueView& a, const KeyValueView& b) {
    return target == CompareTarget::kValue ? a.value < b.value : number(a) < number(b);
  };
  KeyValueView of;
  if (!seen.keys.empty()) {
    const auto [least, greatest] = std::ranges::minmax_element(seen.keys, by_target);
    const KeyValueView choices[] = {seen.keys.front(), seen.keys.back(), *least, *greatest};
    // Most keys are on no lease.
    const bool on_lease = target == CompareTarget::kLease && row[kOf] < 2;
    of = on_lease ? *greatest : choices[row[kOf]];
  }
  const std::pair<std::string, std::string> subjects[] = {
      {std::string(of.key), ""},     {std::string(of.key), ""}, {Key("bb"), ""},
      {ground_.prefix, ground_.end}, {Key("b"), Key("e")},      {Key("b"), ground_.no_end},
      {Key("bb"), Key("bc")}};
  std::tie(compare.key, compare.range_end) = subjects[row[kSubject]];
  if (compare.key.empty()) compare.key = Key("a");
  const std::size_t operand = row[kOperand];
  if (target == CompareTarget::kValue) {
    compare.value = operand == 3 ? "" : std::string(of.value);
    if (operand == 0 && !compare.value.empty()) compare.value.pop_back();
    if (operand == 2) compare.value += '0';
  } else if (operand != 3) {
    compare.number = std::max<std::int64_t>(number(of) + static_cast<std::int64_t>(operand) - 1, 0);
  }
  TxnRequest txn{.compares = {compare}};
  if (row[kBeside] > 0) {
    const bool holds = row[kBeside] == 1;
    const CompareRequest other{.key = Key("absent"),
                               .result = holds ? CompareResult::kEqual : CompareResult::kGreater};
    txn.compares.insert(holds ? txn.compares.begin() : txn.compares.end(), other);
  }
  txn.success = Branch(row[kThen], prng);
  txn.failure = Branch(row[kElse], prng);
  return txn;
}

std::vector<KvRequest> Sweep::Branch(std::size_t kind, Prng& prng) const {
  const std::vector<std::int64_t> leases = {0, ground_.lease, ground_.other_lease};
  const PutRequest put{.key = Key(prng.Pick(KeysOf(of_))),
                       .value = prng.Word(kValueBytes),
                       .lease = prng.Pick(leases),
                       .previous = prng.Chance(0.5)};
  const DeleteRequest deletion{.key = Key("e"), .range_end = Key("f"), .previous = true};
  switch (kind) {
    case 0:
      return {put};
    case 1:
      return {deletion};
    case 2: {
      const PutRequest again{.key = Key("d"), .value = prng.Word(kValueBytes)};
      return {ReadAll(), again, ReadAll(), deletion, ReadRequest{.key = Key("d")}};
    }
    case 3:
      return {ReadAll(), TxnRequest{.compares = {{.key = Key("e")}},
                                    .success = {PutRequest{.key = Key("e"), .value = "back"}},
                                    .failure = {deletion}}};
    default:
      return {};
  }
}

KvRequest Sweep::Wrong(std::size_t reason, const SweepSight& seen) const {
  const PutRequest put{.key = Key("a"), .value = "never"};
  const auto only = [](std::vector<KvRequest> both) {
    return TxnRequest{.success = std::move(both)};
  };
  switch (reason) {
    case kCompareNoKey:
      return TxnRequest{.compares = {{}}, .success = {put}};
    case kTwice:
      return only({put, PutRequest{.key = put.key, .value = "nor this"}});
    case kPutAndDeleted:
      return only({put, DeleteRequest{.key = put.key}});
    case kPutInDeleted:
      return only({DeleteRequest{.key = ground_.prefix, .range_end = ground_.end}, put});
    case kOperations:
      return only(std::vector<KvRequest>(kTooMany, ReadRequest{.key = put.key}));
    case kReadNoKey:
      return ReadRequest{};
    case kPutNoKey:
      return PutRequest{.value = "never"};
    case kDeleteNoKey:
      return DeleteRequest{};
    case kValueAndKept:
      return PutRequest{.key = put.key, .value = "never", .keeps_value = true};
    case kLeaseAndKept:
      return PutRequest{
          .key = put.key, .value = "never", .lease = ground_.lease, .keeps_lease = true};
    case kKeptValueAbsent:
      return PutRequest{.key = Key("absent"), .keeps_value = true};
    case kKeptLeaseAbsent:
      return PutRequest{.key = Key("absent"), .value = "never", .keeps_lease = true};
    case kLeaseEnded:
      return PutRequest{.key = put.key, .value = "never", .lease = ground_.ended_lease};
    case kBeyondHead:
      return ReadRequest{.key = put.key, .revision = seen.head.plus(1000)};
    default:
      return ReadRequest{.key = put.key, .revision = seen.floor.previous()};
  }
}

KvRequest Sweep::Refused(const Row& row, const SweepSight& seen, Prng prng) const {
  const KvRequest wrong = Wrong(row[kReason], seen);
  if (row[kPlace] == 0) return wrong;
  std::vector<KvRequest> branch = {wrong};
  if (row[kPlace] == 3) branch = {TxnRequest{.success = std::move(branch)}};
  const PutRequest beside{.key = Key("beside"), .value = prng.Word(kValueBytes)};
  if (row[kNeighbour] > 0) {
    branch.insert(row[kNeighbour] == 1 ? branch.begin() : branch.end(), beside);
  }
  const CompareRequest holds{.key = Key("absent")};
  const CompareRequest fails{.key = Key("absent"), .result = CompareResult::kGreater};
  if (row[kPlace] == 2) return TxnRequest{.compares = {fails}, .failure = std::move(branch)};
  if (row[kPlace] < 4) return TxnRequest{.success = std::move(branch)};
  return TxnRequest{.compares = {holds}, .success = {ReadAll()}, .failure = std::move(branch)};
}

}  // namespace watchproof::explore
