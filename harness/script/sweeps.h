// SPDX-License-Identifier: Apache-2.0
// Requests about keys that go over the options of a call: every pair of their values, and as many
// combinations of three as there is room for. Numbers are relative to what a read has shown, so
// that a bound is at, just below or just above what it decides about.
//
//   const Sweep sweep(SweepOf::kReads, ground, 200, prng);
//   for (std::size_t i = 0; i < sweep.size(); ++i) kv.Send(sweep.Request(i, seen));
//
// Each request is by itself: what it needs beforehand is made by Before(i), so a part of a sweep is
// one, too. The same generator gives the same requests. Not thread-safe. Ownership: owns all but
// what `seen` refers to.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/prng.h"
#include "harness/history/requests.h"
#include "harness/history/wire.h"
#include "harness/script/covering_array.h"

namespace watchproof::explore {

// Ranges in every form, bounds, orders and limits; those that RangeStream answers in parts; puts
// and deletions with their options, on what there is of a key; compares, of keys and ranges, with
// branches of every kind; what must be refused, alone and in every place of a transaction.
enum class SweepOf { kReads, kParts, kWrites, kCompares, kRefusals };

// Where it is done.
struct SweepGround {
  std::string prefix;  // of all its keys, which ends with '/'
  std::string end;     // of the range of these
  std::string no_end;  // the end of a range that goes on to the last key
  // That keys are put on, and one that has ended; 0: without leases.
  std::int64_t lease = 0;
  std::int64_t other_lease = 0;
  std::int64_t ended_lease = 0;
};

// The store as the last read has shown it.
struct SweepSight {
  std::vector<KeyValueView> keys;  // of the prefix, in their order
  Revision head{};
  Revision floor{};  // of compaction; 0: none
};

class Sweep {
 public:
  Sweep(SweepOf of, SweepGround ground, std::size_t size, Prng prng);

  SweepOf of() const { return of_; }
  std::size_t size() const { return rows_.size(); }
  // What makes its keys as the request needs them.
  std::optional<KvRequest> Before(std::size_t index) const;
  KvRequest Request(std::size_t index, const SweepSight& seen) const;
  // The keys of the prefix, which are put by whoever sweeps, but for those of kWrites.
  ReadRequest ReadAll() const;
  static const std::vector<std::string>& KeysOf(SweepOf of);

 private:
  std::string Key(std::string_view name) const { return ground_.prefix + std::string(name); }
  Prng Random(std::size_t index) const { return prng_.Fork(std::to_string(index)); }
  ReadRequest Read(const Row& row, const SweepSight& seen, Prng prng) const;
  KvRequest Write(const Row& row, Prng prng) const;
  PutRequest Put(const Row& row, Prng prng) const;
  KvRequest Placed(const KvRequest& write, std::size_t form, Prng prng) const;
  TxnRequest Compare(const Row& row, const SweepSight& seen, Prng prng) const;
  std::vector<KvRequest> Branch(std::size_t kind, Prng& prng) const;
  KvRequest Refused(const Row& row, const SweepSight& seen, Prng prng) const;
  KvRequest Wrong(std::size_t reason, const SweepSight& seen) const;

  const SweepOf of_;
  const SweepGround ground_;
  const Prng prng_;
  std::vector<Row> rows_;
};

// The options that a sweep goes over.
const Model& SweepModel(SweepOf of);

}  // namespace watchproof::explore
