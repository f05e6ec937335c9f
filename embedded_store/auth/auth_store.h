// SPDX-License-Identifier: Apache-2.0
// Users, roles and rights with etcd's rules: login and permission checks.
//
//   AuthStore auth(backend, {});
//   WP_RETURN_IF_ERROR(auth.Recover());
//   WP_RETURN_IF_ERROR(auth.AddUser({.name = "root", .password = "secret"}));
//   backend.WhenSafe(auth.last_change(), ...answer...);
//   WP_ASSIGN_OR_RETURN(const Caller caller, auth.Identify(credentials, now));
//   WP_RETURN_IF_ERROR(auth.Check(caller, NeedsOf(query, lease_keys)));
//
// A change applies to every check that begins after it; a call that passed its check before
// continues. Every answer that shows users, roles or rights waits for last_change, because a crash
// could undo newer changes. Threads: any; one lock inside, under which only the backend is called.
// AddUser, ChangePassword and Authenticate take tens of milliseconds for a password, without the
// lock. Ownership: borrows the backend, which outlives it.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "embedded_store/auth/access.h"
#include "embedded_store/auth/auth_rows.h"
#include "embedded_store/auth/password.h"
#include "embedded_store/auth/token_table.h"
#include "embedded_store/backend/backend.h"
#include "harness/base/deadline.h"
#include "harness/base/mutex.h"
#include "harness/base/status.h"

namespace watchproof::store {

struct AuthOptions {
  Duration token_lifetime = 300s;  // since its last use; etcd's default
  PasswordPrice password_price{};
};

struct NewUser {
  std::string name;
  std::string password;
  bool no_password = false;
};

// The user and the role that may do everything.
inline constexpr const char* kRoot = "root";

class AuthStore {
 public:
  AuthStore(Backend& backend, AuthOptions options);
  // Loads what the backend holds; kDataLoss when it was not written by this store. Requires: once,
  // before anything else.
  Status Recover();

  bool enabled() const { return enabled_; }
  std::uint64_t revision() const;
  Ticket last_change() const;

  // Requires etcd's conditions: a user root that has the role root.
  Status Enable();
  // All tokens are forgotten.
  Status Disable();

  Status AddUser(const NewUser& user);
  Status DeleteUser(const std::string& name);
  Status ChangePassword(const std::string& name, const std::string& password);
  Status GrantRole(const std::string& user, const std::string& role);
  Status RevokeRole(const std::string& user, const std::string& role);
  Result<std::vector<std::string>> RolesOf(const std::string& user) const;
  std::vector<std::string> Users() const;

  Status AddRole(const std::string& name);
  Status DeleteRole(const std::string& name);
  // Replaces what was granted on exactly this range.
  Status GrantPermission(const std::string& role, const Permission& permission);
  Status RevokePermission(const std::string& role, const KeyRange& range);
  Result<std::vector<Permission>> PermissionsOf(const std::string& role) const;
  std::vector<std::string> Roles() const;

  // A token. Blocks: while the password is compared.
  Result<std::string> Authenticate(const std::string& name, const std::string& password,
                                   TimePoint now);
  // No user when auth is off or the call has no credentials; an unknown token is refused.
  Result<Caller> Identify(const Credentials& credentials, TimePoint now);
  Status Check(const Caller& caller, const Needs& needs) const;
  Status CheckAdmin(const Caller& caller) const;
  // Whether the call has a user at all.
  Status CheckNamed(const Caller& caller) const;
  // The user of a watch that has been open for a while.
  Status CheckNow(const std::string& user, const Needs& needs) const;
  bool HasRole(const std::string& user, const std::string& role) const;

 private:
  // The union of the rights of all roles of a user.
  struct Rights {
    bool root = false;
    RangeSet read;
    RangeSet write;
  };

  // Whether the backend has room for a change.
  Status AdmitLocked() const REQUIRES(mu_);
  // Stages the rows with a new revision.
  Status CommitLocked(std::vector<Mutation> rows) REQUIRES(mu_);
  void WeighLocked() REQUIRES(mu_);
  Rights RightsOfLocked(const User& user) const REQUIRES(mu_);
  Status JudgeLocked(const std::string& user, const Needs& needs) const REQUIRES(mu_);

  Backend& backend_;
  const AuthOptions options_;
  std::atomic<bool> enabled_{false};  // as in state_, readable without the lock
  mutable Mutex mu_;
  AuthState state_ GUARDED_BY(mu_);
  std::map<std::string, Rights> rights_ GUARDED_BY(mu_);
  TokenTable tokens_ GUARDED_BY(mu_);
  Ticket last_change_ GUARDED_BY(mu_);
};

}  // namespace watchproof::store
