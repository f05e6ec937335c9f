// SPDX-License-Identifier: Apache-2.0
// Which requests a store must refuse whatever it holds, as the request alone shows; and what a
// refusal is about.
//
//   if (const auto reason = ReasonToRefuse(Method::kPut, request)) ... reason->why ...
//
// Threads: functions without state.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/status.h"
#include "harness/history/annotation.h"
#include "harness/history/method.h"
#include "harness/history/wire.h"

namespace watchproof {

struct Refusal {
  std::string why;  // "it names no key"
  // A setting of the server decides; where it is not stated, it may be another than etcd's default.
  bool by_setting = false;
};

// For a key-value request, with all that is in it; each of these is an invalid argument. Keys that
// a transaction changes twice are left to ChangedTwice.
std::optional<Refusal> ReasonToRefuse(Method method, std::string_view request,
                                      const StoreLimits& limits = {});

// How many a transaction counts as: its longest list, and that of the transaction in it which
// counts as most.
std::int64_t OperationsOf(std::string_view txn);

struct Twice {
  std::string key;
  bool to_the_end = false;  // only deletions without an end delete it
};
// The key that a branch puts twice, or puts and deletes; with the transactions in it, of which one
// branch runs. A later one of these may delete what an earlier one puts: etcd allows that.
std::optional<Twice> ChangedTwice(const std::vector<OperationView>& branch);

// What in a request can be refused for the state that it meets.
struct Conditional {
  bool past = false;                   // reads at a revision
  bool twice = false;                  // ChangedTwice, or what etcd allows and another need not
  std::vector<std::string_view> kept;  // keys that must be there, as their value or lease is kept
  std::vector<std::int64_t> leases;    // that must be there
};
// The views look into the request.
Conditional ConditionsOf(Method method, std::string_view request);

// By its code: it is about what is in the request, or about what the store holds.
bool IsAboutContent(StatusCode code);
// By its words: it is about the user, or the want of one. Some releases of etcd refuse operators'
// calls for that without a code.
bool IsAboutUser(std::string_view words);

// Why a store may have refused a request with a code, as far as the request and the limits show.
struct Grounds {
  bool of_itself = false;              // its form, its size, or a key that it changes twice
  bool past = false;                   // see Conditional
  std::vector<std::string_view> kept;  // likewise
  std::vector<std::int64_t> leases;    // likewise
  bool any() const { return of_itself || past || !kept.empty() || !leases.empty(); }
};
Grounds GroundsOf(Method method, std::string_view request, StatusCode code,
                  const StoreLimits& limits);

}  // namespace watchproof
