// SPDX-License-Identifier: Apache-2.0
// Login, the identity of a caller, and the rights of a caller.
#include <utility>

#include "embedded_store/auth/auth_store.h"
#include "embedded_store/mvcc/errors.h"

namespace watchproof::store {

void AuthStore::WeighLocked() {
  rights_.clear();
  for (const auto& [name, user] : state_.users) rights_.emplace(name, RightsOfLocked(user));
}

AuthStore::Rights AuthStore::RightsOfLocked(const User& user) const {
  std::vector<KeyRange> read;
  std::vector<KeyRange> write;
  for (const std::string& name : user.roles) {
    const Role* role = FindNamed(state_.roles, name);
    if (role == nullptr) continue;
    for (const auto& [right, range] : role->permissions) {
      if (right != Right::kWrite) read.push_back(range);
      if (right != Right::kRead) write.push_back(range);
    }
  }
  // Root by name: the role root need not exist.
  return {.root = user.roles.contains(kRoot), .read = RangeSet(read), .write = RangeSet(write)};
}

Result<std::string> AuthStore::Authenticate(const std::string& name, const std::string& password,
                                            TimePoint now) {
  if (!enabled_) return ErrAuthNotEnabled();
  while (true) {
    std::string kept;
    {
      MutexLock lock(mu_);
      const User* user = FindNamed(state_.users, name);
      if (user == nullptr) return ErrAuthFailed();
      if (user->no_password) return ErrNoPasswordUser();
      kept = user->password;
    }
    if (!MatchesPassword(password, kept)) return ErrAuthFailed();
    MutexLock lock(mu_);
    if (!state_.enabled) return ErrAuthNotEnabled();
    const User* user = FindNamed(state_.users, name);
    if (user == nullptr) return ErrAuthFailed();
    // If the password was changed meanwhile, compare again.
    if (user->password == kept) return tokens_.Assign(name, now);
  }
}

Result<Caller> AuthStore::Identify(const Credentials& credentials, TimePoint now) {
  if (!enabled_) return Caller();
  MutexLock lock(mu_);
  if (credentials.token) {
    auto user = tokens_.Find(*credentials.token, now);
    if (!user) return ErrInvalidAuthToken();
    return Caller{.user = *std::move(user), .revision = state_.revision};
  }
  if (credentials.common_name) {
    return Caller{.user = *credentials.common_name, .revision = state_.revision};
  }
  return Caller();
}

Status AuthStore::Check(const Caller& caller, const Needs& needs) const {
  if (!enabled_ || needs.empty()) return {};
  if (caller.revision == 0) return ErrUserEmpty();
  MutexLock lock(mu_);
  if (caller.revision < state_.revision) return ErrAuthOldRevision();
  return JudgeLocked(caller.user, needs);
}

Status AuthStore::CheckNow(const std::string& user, const Needs& needs) const {
  if (!enabled_) return {};
  MutexLock lock(mu_);
  return JudgeLocked(user, needs);
}

Status AuthStore::JudgeLocked(const std::string& user, const Needs& needs) const {
  const Rights* rights = FindNamed(rights_, user);
  if (rights == nullptr) return ErrPermissionDenied();
  if (rights->root) return {};
  for (const auto& [right, range] : needs) {
    const RangeSet& granted = right == Right::kWrite ? rights->write : rights->read;
    if (!granted.Covers(range)) return ErrPermissionDenied();
  }
  return {};
}

Status AuthStore::CheckAdmin(const Caller& caller) const {
  if (!enabled_) return {};
  if (caller.user.empty()) return ErrUserEmpty();
  MutexLock lock(mu_);
  const Rights* rights = FindNamed(rights_, caller.user);
  if (rights == nullptr) return ErrUserNotFound();
  return rights->root ? Status() : ErrPermissionDenied();
}

Status AuthStore::CheckNamed(const Caller& caller) const {
  if (!enabled_ || caller.revision != 0) return {};
  return ErrUserEmpty();
}

bool AuthStore::HasRole(const std::string& user, const std::string& role) const {
  MutexLock lock(mu_);
  const User* found = FindNamed(state_.users, user);
  return found != nullptr && found->roles.contains(role);
}

}  // namespace watchproof::store
