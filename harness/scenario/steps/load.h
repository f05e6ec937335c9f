// SPDX-License-Identifier: Apache-2.0
// The steps about loads: clients that call the store concurrently. See step.h.
#pragma once

#include <string>

#include "harness/scenario/step.h"

namespace watchproof {

// Clients that call the store concurrently during the following steps: puts, deletes, transactions
// that depend on a version, linearizable and serializable reads of a few keys. Their calls are
// drawn from the seed, client by client.
struct LoadStep {
  std::string load = "load";
  std::size_t clients = 8;
  std::size_t calls = 100;  // of each client
  std::size_t keys = 10;    // below the key: key/0, key/1, ...
  std::string key;
  std::uint64_t seed = 0;
  bool direct = false;  // on the direct path, where no fault reaches them
  bool puts_only = false;
  bool together = false;      // each is a transaction that puts every key
  bool reads_only = false;    // of one key each
  bool serializable = false;  // of these: the member answers them by itself
  bool hashes_only = false;   // each asks the member for a hash of all that it holds
  bool parts_only = false;    // each reads every key of the load, and is answered in parts
  bool whole_reads = false;   // each reads every key of the load, and is not judged
  // Each is a transaction, which reads every key of the load before it writes.
  bool guarded = false;
  // Each is of any kind and with any options, as scripts of exploration have them, see
  // script/drawn_calls.h.
  bool drawn = false;
  // Their ranges go on to the end of all keys where the target is the attempt's own.
  bool open_ends = false;
  // Some calls are about leases of the client's own: granted, renewed, looked at and revoked, with
  // keys on them; what is left of them is revoked in the end. Some are compactions, of what is
  // known to the judge.
  bool leases = false;
  bool keeps_leases = false;  // none of them is revoked before the end
  bool compacts = false;
  Duration pause{};    // of a client after each call
  int member = 1;      // that the clients connect to; 0: they are spread over all members
  std::string user{};  // empty: the one of the other calls of the attempt
  // A stream of watches; the clients share its connection. Empty: each has its own.
  std::string beside{};
  static constexpr std::uint64_t kMostClients = 10'000;
  static constexpr std::uint64_t kMostCalls = 10'000'000;
  static constexpr std::string_view kOp = "load";
  void Fields(FieldList& field) {
    field("load", load);
    field("clients", clients).Within(1, kMostClients, "clients");
    field("calls", calls).Within(0, kMostCalls, "calls");
    field("keys", keys).Within(1, kMostCalls, "keys");
    field("key", key);
    field("load_seed", seed);
    field("direct", direct);
    field("puts_only", puts_only).Optional();
    field("together", together).Optional();
    field("reads_only", reads_only).Optional();
    field("serializable", serializable).Optional();
    field("hashes_only", hashes_only).Optional();
    field("parts_only", parts_only).Optional();
    field("whole_reads", whole_reads).Optional();
    field("guarded", guarded).Optional();
    field("drawn", drawn).Optional();
    field("open_ends", open_ends).Optional();
    field("leases", leases).Optional();
    field("keeps_leases", keeps_leases).Optional();
    field("compacts", compacts).Optional();
    field("pause_us", pause).Optional();
    field("member", member).Optional().Member(0);
    field("user", user).Optional().Uses(Subject::kUser);
    field("beside", beside).Optional();
  }
  Usage Cost() const;
  std::string BeyondKubernetes() const {
    if (guarded) return "a compare of a range";
    if (together) return "transactions of several keys";
    if (drawn) return "transactions of every kind";
    if (leases) return "renewals of leases";
    if (hashes_only) return "hashes";
    if (parts_only) return "reads in parts";
    return puts_only || (reads_only && !serializable) ? "" : "serializable reads";
  }
  Status Run(StepContext& context) const;
};

// Waits until every call of the load has ended.
struct AwaitLoadStep {
  std::string load = "load";
  bool lost = false;  // at least one must be without an answer, or the attempt proves nothing
  static constexpr std::string_view kOp = "await load";
  void Fields(FieldList& field) {
    field("load", load);
    field("lost", lost);
  }
  Status Run(StepContext& context) const;
};

// No further call of the load begins.
struct StopLoadStep {
  std::string load = "load";
  bool answered = false;  // at least one must have been, or the attempt proves nothing
  static constexpr std::string_view kOp = "stop load";
  void Fields(FieldList& field) {
    field("load", load);
    field("answered", answered).Optional();
  }
  Status Run(StepContext& context) const;
};

}  // namespace watchproof
