// SPDX-License-Identifier: Apache-2.0
// Users and roles. Permission checks are in auth_check.cc.
#include "embedded_store/auth/auth_store.h"

#include <algorithm>
#include <utility>

#include "embedded_store/mvcc/errors.h"

namespace watchproof::store {
namespace {

// More than any change of one user or role takes.
constexpr std::size_t kRoomForAChange = 64 * 1024;
// Names are part of the keys of the backend, which are limited in length.
constexpr std::size_t kLongestName = 256;
static_assert(kLongestName + 16 <= kLongestKey);

template <typename Map>
std::vector<std::string> Names(const Map& map) {
  std::vector<std::string> names;
  for (const auto& [name, value] : map) names.push_back(name);
  return names;
}

}  // namespace

AuthStore::AuthStore(Backend& backend, AuthOptions options)
    : backend_(backend), options_(options), tokens_(options.token_lifetime) {}

Status AuthStore::Recover() {
  AuthState state;
  Status rows;
  const auto read = [&](std::string_view key, std::string_view value) {
    if (rows.ok()) rows = ReadAuthRow(key, value, state);
  };
  WP_RETURN_IF_ERROR(backend_.Load(Bucket::kAuth, read));
  MutexLock lock(mu_);
  state_ = std::move(state);
  enabled_ = state_.enabled;
  WeighLocked();
  return rows;
}

std::uint64_t AuthStore::revision() const {
  MutexLock lock(mu_);
  return state_.revision;
}

Ticket AuthStore::last_change() const {
  MutexLock lock(mu_);
  return last_change_;
}

Status AuthStore::AdmitLocked() const { return backend_.Admit(kRoomForAChange, Purpose::kGrow); }

Status AuthStore::CommitLocked(std::vector<Mutation> rows) {
  ++state_.revision;
  rows.push_back(RevisionRow(state_.revision));
  last_change_ = backend_.Stage(std::move(rows));
  WeighLocked();
  return {};
}

Status AuthStore::Enable() {
  MutexLock lock(mu_);
  if (state_.enabled) return {};
  const User* root = FindNamed(state_.users, kRoot);
  if (root == nullptr) return ErrRootUserMissing();
  if (!root->roles.contains(kRoot)) return ErrRootRoleMissing();
  WP_RETURN_IF_ERROR(AdmitLocked());
  // No new revision: no user's rights have changed, they only begin to be enforced.
  last_change_ = backend_.Stage({EnabledRow(true)});
  state_.enabled = true;
  enabled_ = true;
  return {};
}

Status AuthStore::Disable() {
  MutexLock lock(mu_);
  if (!state_.enabled) return {};
  WP_RETURN_IF_ERROR(AdmitLocked());
  state_.enabled = false;
  enabled_ = false;
  tokens_.ForgetAll();
  return CommitLocked({EnabledRow(false)});
}

Status AuthStore::AddUser(const NewUser& user) {
  if (user.name.empty()) return ErrUserEmpty();
  if (user.name.size() > kLongestName) return ErrNameTooLong();
  User added{.no_password = user.no_password};
  if (!user.no_password) added.password = HashPassword(user.password, options_.password_price);
  MutexLock lock(mu_);
  if (FindNamed(state_.users, user.name) != nullptr) return ErrUserExists();
  WP_RETURN_IF_ERROR(AdmitLocked());
  const User& kept = state_.users.emplace(user.name, std::move(added)).first->second;
  return CommitLocked({UserRow(user.name, kept)});
}

Status AuthStore::DeleteUser(const std::string& name) {
  MutexLock lock(mu_);
  if (state_.enabled && name == kRoot) return ErrInvalidAuthManagement();
  if (FindNamed(state_.users, name) == nullptr) return ErrUserNotFound();
  WP_RETURN_IF_ERROR(AdmitLocked());
  state_.users.erase(name);
  tokens_.ForgetUser(name);
  return CommitLocked({NoUserRow(name)});
}

Status AuthStore::ChangePassword(const std::string& name, const std::string& password) {
  // As in etcd an empty password matches nothing, not even another empty one.
  const std::string hashed =
      password.empty() ? std::string() : HashPassword(password, options_.password_price);
  MutexLock lock(mu_);
  User* user = FindNamed(state_.users, name);
  if (user == nullptr) return ErrUserNotFound();
  WP_RETURN_IF_ERROR(AdmitLocked());
  if (!user->no_password) user->password = hashed;
  tokens_.ForgetUser(name);
  return CommitLocked({UserRow(name, *user)});
}

Status AuthStore::GrantRole(const std::string& name, const std::string& role) {
  MutexLock lock(mu_);
  User* user = FindNamed(state_.users, name);
  if (user == nullptr) return ErrUserNotFound();
  if (role != kRoot && FindNamed(state_.roles, role) == nullptr) return ErrRoleNotFound();
  if (user->roles.contains(role)) return {};
  WP_RETURN_IF_ERROR(AdmitLocked());
  user->roles.insert(role);
  return CommitLocked({UserRow(name, *user)});
}

Status AuthStore::RevokeRole(const std::string& name, const std::string& role) {
  MutexLock lock(mu_);
  if (state_.enabled && name == kRoot && role == kRoot) return ErrInvalidAuthManagement();
  User* user = FindNamed(state_.users, name);
  if (user == nullptr) return ErrUserNotFound();
  if (!user->roles.contains(role)) return ErrRoleNotGranted();
  WP_RETURN_IF_ERROR(AdmitLocked());
  user->roles.erase(role);
  return CommitLocked({UserRow(name, *user)});
}

Result<std::vector<std::string>> AuthStore::RolesOf(const std::string& name) const {
  MutexLock lock(mu_);
  const User* user = FindNamed(state_.users, name);
  if (user == nullptr) return ErrUserNotFound();
  return std::vector<std::string>(user->roles.begin(), user->roles.end());
}

std::vector<std::string> AuthStore::Users() const {
  MutexLock lock(mu_);
  return Names(state_.users);
}

Status AuthStore::AddRole(const std::string& name) {
  if (name.empty()) return ErrRoleEmpty();
  if (name.size() > kLongestName) return ErrNameTooLong();
  MutexLock lock(mu_);
  if (FindNamed(state_.roles, name) != nullptr) return ErrRoleExists();
  WP_RETURN_IF_ERROR(AdmitLocked());
  state_.roles.emplace(name, Role());
  return CommitLocked({RoleRow(name, Role())});
}

Status AuthStore::DeleteRole(const std::string& name) {
  MutexLock lock(mu_);
  if (state_.enabled && name == kRoot) return ErrInvalidAuthManagement();
  if (FindNamed(state_.roles, name) == nullptr) return ErrRoleNotFound();
  WP_RETURN_IF_ERROR(AdmitLocked());
  state_.roles.erase(name);
  std::vector<Mutation> rows{NoRoleRow(name)};
  for (auto& [holder, user] : state_.users) {
    if (user.roles.erase(name) > 0) rows.push_back(UserRow(holder, user));
  }
  return CommitLocked(std::move(rows));
}

Status AuthStore::GrantPermission(const std::string& name, const Permission& permission) {
  if (!IsGrantable(permission.range)) return ErrInvalidAuthManagement();
  MutexLock lock(mu_);
  Role* role = FindNamed(state_.roles, name);
  if (role == nullptr) return ErrRoleNotFound();
  WP_RETURN_IF_ERROR(AdmitLocked());
  std::vector<Permission>& granted = role->permissions;
  const auto same = std::find_if(granted.begin(), granted.end(), [&](const Permission& one) {
    return one.range == permission.range;
  });
  if (same != granted.end()) {
    same->right = permission.right;
  } else {
    const auto after = std::upper_bound(
        granted.begin(), granted.end(), permission,
        [](const Permission& a, const Permission& b) { return a.range.begin < b.range.begin; });
    granted.insert(after, permission);
  }
  return CommitLocked({RoleRow(name, *role)});
}

Status AuthStore::RevokePermission(const std::string& name, const KeyRange& range) {
  MutexLock lock(mu_);
  Role* role = FindNamed(state_.roles, name);
  if (role == nullptr) return ErrRoleNotFound();
  WP_RETURN_IF_ERROR(AdmitLocked());
  const auto gone =
      std::erase_if(role->permissions, [&](const Permission& one) { return one.range == range; });
  if (gone == 0) return ErrPermissionNotGranted();
  return CommitLocked({RoleRow(name, *role)});
}

Result<std::vector<Permission>> AuthStore::PermissionsOf(const std::string& name) const {
  MutexLock lock(mu_);
  const Role* role = FindNamed(state_.roles, name);
  if (role == nullptr) return ErrRoleNotFound();
  return role->permissions;
}

std::vector<std::string> AuthStore::Roles() const {
  MutexLock lock(mu_);
  return Names(state_.roles);
}

}  // namespace watchproof::store
