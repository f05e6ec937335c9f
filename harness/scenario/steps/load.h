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
  int member = 1;  // that the clients connect to; 0: they are spread over all members
  static constexpr std::string_view kOp = "load";
  void Fields(FieldList& field);
  Usage Cost() const;
  std::string BeyondKubernetes() const { return puts_only ? "" : "serializable reads"; }
  Status Run(StepContext& context) const;
};

// Waits until every call of the load has ended.
struct AwaitLoadStep {
  std::string load = "load";
  bool lost = false;  // at least one must be without an answer, or the attempt proves nothing
  static constexpr std::string_view kOp = "await load";
  void Fields(FieldList& field);
  Status Run(StepContext& context) const;
};

}  // namespace watchproof
