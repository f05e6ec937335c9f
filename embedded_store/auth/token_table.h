// SPDX-License-Identifier: Apache-2.0
// Logged-in users: random tokens that expire when they are not used for a while.
//
//   const std::string token = tokens.Assign("alice", now);
//   if (auto user = tokens.Find(token, now)) ...          // its lifetime starts again now
//
// Like etcd's simple tokens they are kept in memory only and do not survive a restart. Not
// thread-safe. Ownership: by value.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>

#include "embedded_store/auth/password.h"
#include "harness/base/deadline.h"

namespace watchproof::store {

class TokenTable {
 public:
  explicit TokenTable(Duration lifetime) : lifetime_(lifetime) {}

  std::string Assign(const std::string& user, TimePoint now) {
    Sweep(now);
    // The form of etcd's: letters, a dot, a number.
    std::string token = fmt::format("{}.{}", RandomLetters(22), ++assigned_);
    tokens_.emplace(token, Entry{.user = user, .until = now + lifetime_});
    return token;
  }
  std::optional<std::string> Find(const std::string& token, TimePoint now) {
    const auto found = tokens_.find(token);
    if (found == tokens_.end()) return std::nullopt;
    if (found->second.until <= now) {
      tokens_.erase(found);
      return std::nullopt;
    }
    found->second.until = now + lifetime_;
    return found->second.user;
  }
  void ForgetUser(const std::string& user) {
    std::erase_if(tokens_, [&](const auto& entry) { return entry.second.user == user; });
  }
  void ForgetAll() { tokens_.clear(); }
  std::size_t size() const { return tokens_.size(); }

 private:
  struct Entry {
    std::string user;
    TimePoint until;
  };
  // At most twice per lifetime, so that many logins do not each pay for all the others.
  void Sweep(TimePoint now) {
    if (now < next_sweep_) return;
    next_sweep_ = now + lifetime_ / 2;
    std::erase_if(tokens_, [&](const auto& entry) { return entry.second.until <= now; });
  }

  const Duration lifetime_;
  std::uint64_t assigned_ = 0;
  TimePoint next_sweep_{};
  std::unordered_map<std::string, Entry> tokens_;
};

}  // namespace watchproof::store
