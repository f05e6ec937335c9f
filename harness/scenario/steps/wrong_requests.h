// SPDX-License-Identifier: Apache-2.0
// Requests that a store must refuse: one for each thing that can be wrong in a call of etcd's API,
// with the codes that the API documents. What etcd takes although it is odd is not among them.
//
//   for (const WrongRequest& one : WrongRequests()) ... one.name() ...   // "put: it names no key"
//   const Message request = FindWrongRequest("put: it names no key")->make(known);
//
// Source: etcd's rpctypes, and the checks of its services. Threads: constants, made on first use.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/status.h"
#include "harness/base/units.h"
#include "harness/bugs/release_version.h"
#include "harness/history/method.h"
#include "harness/history/wire_writer.h"

namespace watchproof {

// What they are about, and so what has to be there beforehand, and what shows an effect.
enum class WrongIn { kKeys, kKeysInParts, kLeases, kNoUsers, kUsers, kOperators, kLocks };

// The store that is asked.
struct AskedStore {
  std::string key{};  // keys that begin with it are the request's
  std::string key_end{};
  std::int64_t lease = 0;  // that is there
  Revision head{};
  Revision floor{};  // of compaction
  std::string user{};
  std::string role{};        // of the user, which permits to read from `key` to `key_end`
  std::uint64_t member = 0;  // the id of one with a vote
  std::string peer_url{};    // likewise
};

struct WrongRequest {
  WrongIn in;
  Method method;
  std::string wrong;  // "it names no key"
  std::vector<StatusCode> codes;
  std::function<Message(const AskedStore&)> make;
  // The releases of etcd that do not refuse it, as in a row of the answer key. Empty: all do.
  std::vector<AffectedRange> not_refused_by{};

  bool in_parts() const { return in == WrongIn::kKeysInParts; }
  std::string name() const;
  // By a target of that version. What is no version is another store's.
  bool MustBeRefusedBy(std::string_view version) const;
};

const std::vector<WrongRequest>& WrongRequests();
// Null: there is none of that name.
const WrongRequest* FindWrongRequest(std::string_view name);

}  // namespace watchproof
