// SPDX-License-Identifier: Apache-2.0
// Which requests a store must refuse whatever it holds, as the request alone shows; and what a
// refusal is about.
//
//   if (const auto reason = ReasonToRefuse(Method::kPut, request)) ... reason->why ...
//
// Threads: functions without state.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/status.h"
#include "harness/history/method.h"
#include "harness/history/wire.h"

namespace watchproof {

struct Refusal {
  std::string why;  // "it names no key"
  // A setting of the server, which may be another than etcd's default, decides.
  bool by_setting = false;
};

// For a key-value request, with all that is in it; each of these is an invalid argument. Keys that
// a transaction changes twice are left to ChangedTwice.
std::optional<Refusal> ReasonToRefuse(Method method, std::string_view request);

struct Twice {
  std::string key;
  bool to_the_end = false;  // a deletion without an end deletes it
};
// The key that a branch puts twice, or puts and deletes; without transactions in it.
std::optional<Twice> ChangedTwice(const std::vector<OperationView>& branch);

// What in a request can be refused for the state that it meets.
struct Conditional {
  bool past = false;                   // reads at a revision
  bool nested = false;                 // transactions in it
  bool twice = false;                  // ChangedTwice
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

}  // namespace watchproof
