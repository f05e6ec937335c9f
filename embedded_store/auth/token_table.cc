// SPDX-License-Identifier: Apache-2.0
#include "embedded_store/auth/token_table.h"

#include <fmt/format.h>

#include <utility>

#include "embedded_store/auth/password.h"

namespace watchproof::store {

std::string TokenTable::Assign(const std::string& user, TimePoint now) {
  Sweep(now);
  // The form of etcd's: letters, a dot, a number.
  std::string token = fmt::format("{}.{}", RandomLetters(22), ++assigned_);
  tokens_.emplace(token, Entry{.user = user, .until = now + lifetime_});
  return token;
}

std::optional<std::string> TokenTable::Find(const std::string& token, TimePoint now) {
  const auto found = tokens_.find(token);
  if (found == tokens_.end()) return std::nullopt;
  if (found->second.until <= now) {
    tokens_.erase(found);
    return std::nullopt;
  }
  found->second.until = now + lifetime_;
  return found->second.user;
}

void TokenTable::ForgetUser(const std::string& user) {
  std::erase_if(tokens_, [&](const auto& entry) { return entry.second.user == user; });
}

void TokenTable::Sweep(TimePoint now) {
  // At most twice per lifetime, so that many logins do not each pay for all the others.
  if (now < next_sweep_) return;
  next_sweep_ = now + lifetime_ / 2;
  std::erase_if(tokens_, [&](const auto& entry) { return entry.second.until <= now; });
}

}  // namespace watchproof::store
