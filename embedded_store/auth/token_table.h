// SPDX-License-Identifier: Apache-2.0
// Logged-in users: random tokens that expire when they are not used for a while.
//
//   const std::string token = tokens.Assign("alice", now);
//   if (auto user = tokens.Find(token, now)) ...          // its lifetime starts again now
//
// Like etcd's simple tokens they are kept in memory only and do not survive a restart. Not
// thread-safe. Ownership: by value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>

#include "harness/base/deadline.h"

namespace watchproof::store {

class TokenTable {
 public:
  explicit TokenTable(Duration lifetime) : lifetime_(lifetime) {}

  std::string Assign(const std::string& user, TimePoint now);
  std::optional<std::string> Find(const std::string& token, TimePoint now);
  void ForgetUser(const std::string& user);
  void ForgetAll() { tokens_.clear(); }
  std::size_t size() const { return tokens_.size(); }

 private:
  struct Entry {
    std::string user;
    TimePoint until;
  };
  void Sweep(TimePoint now);

  const Duration lifetime_;
  std::uint64_t assigned_ = 0;
  TimePoint next_sweep_{};
  std::unordered_map<std::string, Entry> tokens_;
};

}  // namespace watchproof::store
