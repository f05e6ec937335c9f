// SPDX-License-Identifier: Apache-2.0
#include "harness/model/users.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "harness/history/wire.h"

namespace watchproof {
namespace {

constexpr std::int64_t kBoth = 2;      // the type of a permission to read and write
constexpr const char* kRoot = "root";  // a role that can be given without being added

struct AskedOfUsers {
  std::string name;
  std::string second;
  std::pair<std::string, std::string> range{};  // that a role is granted, or not any more
  std::int64_t type = 0;
  bool no_password = false;
};
AskedOfUsers AskedBy(const RecordedCall& call) {
  UsersRequestView request;
  if (!Parse(call.request.view(), request).ok()) return {};
  AskedOfUsers asked{.name = std::string(request.name), .second = std::string(request.second)};
  asked.range = {asked.second, std::string(request.range_end)};
  UserAddOptionsView options;
  const bool adds = call.method == Method::kUserAdd;
  asked.no_password = adds && Parse(request.range_end, options).ok() && options.no_password;
  PermissionView permission;
  const bool grants = call.method == Method::kRoleGrantPermission;
  if (grants && Parse(request.second, permission).ok()) {
    asked.range = {std::string(permission.key), std::string(permission.range_end)};
    asked.type = permission.type;
  }
  return asked;
}

bool Switches(const RecordedCall& call) {
  return call.method == Method::kAuthEnable || call.method == Method::kAuthDisable;
}

std::string Absent(std::string_view kind, const std::string& name) {
  return fmt::format("there is no {} {}", kind, name);
}

}  // namespace

Authentication::State Authentication::During(const RecordedCall& call, const CallLog& log) const {
  const bool meanwhile =
      call.began < changed_ ||
      std::ranges::any_of(log.out(), [](const auto& one) { return Switches(*one.second); });
  return lost_ || meanwhile ? State::kUnsure : state_;
}

void Authentication::Follow(const RecordedCall& call) {
  if (!Switches(call) || call.outcome == CallOutcome::kRefused) return;
  lost_ = lost_ || call.outcome == CallOutcome::kOpen;
  state_ = call.method == Method::kAuthEnable ? State::kEnabled : State::kDisabled;
  changed_ = call.ended;
}

bool IsOfUsers(Method method) {
  return method >= Method::kUserAdd && method <= Method::kRoleRevokePermission;
}

void Users::State(const UserRights& rights) {
  unsure_.erase(rights.user);
  users_[rights.user] = {rights.roles.begin(), rights.roles.end()};
  for (const std::string& role : rights.roles) {
    Permitted& permitted = roles_[role];
    if (role == kRoot) continue;
    permitted.clear();
    for (const auto& one : rights.ranges) {
      permitted[{one.key.bytes, one.end.bytes}] = one.read && one.write ? kBoth : one.write ? 1 : 0;
    }
  }
}

std::optional<std::string> Users::WhyNoGrant(Method method, const std::string& name,
                                             const std::string& second) const {
  const auto user = users_.find(name);
  if (user == users_.end()) return Absent("user", name);
  if (method == Method::kUserGrantRole) {
    if (second == kRoot || roles_.contains(second)) return std::nullopt;
    return Absent("role", second);
  }
  if (user->second.contains(second)) return std::nullopt;
  return fmt::format("user {} has not the role {}", name, second);
}

std::optional<std::string> Users::WhyNoToken(const std::string& name,
                                             const std::string& password) const {
  if (!users_.contains(name)) return Absent("user", name);
  const auto known = passwords_.find(name);
  if (known == passwords_.end() || known->second == password) return std::nullopt;
  return fmt::format("user {} has {} password", name, known->second ? "another" : "no");
}

bool Users::HasPassword(const RecordedCall& call) const {
  const AskedOfUsers asked = AskedBy(call);
  const auto known = passwords_.find(asked.name);
  return known != passwords_.end() && known->second == asked.second;
}

std::optional<std::string> Users::WhyRefused(const RecordedCall& call) const {
  const AskedOfUsers asked = AskedBy(call);
  const auto role = roles_.find(asked.name);
  switch (call.method) {
    case Method::kUserAdd:
      if (users_.contains(asked.name)) return fmt::format("there is a user {}", asked.name);
      return std::nullopt;
    case Method::kAuthenticate:
      return WhyNoToken(asked.name, asked.second);
    case Method::kUserGet:
    case Method::kUserDelete:
    case Method::kUserChangePassword:
      if (!users_.contains(asked.name)) return Absent("user", asked.name);
      return std::nullopt;
    case Method::kUserGrantRole:
    case Method::kUserRevokeRole:
      return WhyNoGrant(call.method, asked.name, asked.second);
    case Method::kRoleAdd:
      if (role != roles_.end()) return fmt::format("there is a role {}", asked.name);
      return std::nullopt;
    case Method::kRoleGet:
    case Method::kRoleDelete:
    case Method::kRoleGrantPermission:
      if (role == roles_.end()) return Absent("role", asked.name);
      return std::nullopt;
    case Method::kRoleRevokePermission:
      if (role == roles_.end()) return Absent("role", asked.name);
      if (role->second.contains(asked.range)) return std::nullopt;
      return fmt::format("role {} permits nothing with that range", asked.name);
    default:
      return std::nullopt;
  }
}

// What the role root permits is in no grant.
std::optional<std::string> Users::WrongPermissions(const RecordedCall& call) const {
  const auto role = roles_.find(AskedBy(call).name);
  NamesResponseView answer;
  if (role == roles_.end() || role->first == kRoot) return std::nullopt;
  if (!Parse(call.response.view(), answer).ok()) return std::nullopt;
  Permitted permitted;
  for (const std::string_view one : answer.names) {
    PermissionView permission;
    if (!Parse(one, permission).ok()) return std::nullopt;
    permitted[{std::string(permission.key), std::string(permission.range_end)}] = permission.type;
  }
  if (permitted == role->second && permitted.size() == answer.names.size()) return std::nullopt;
  return fmt::format("the {} permissions that were granted to it", role->second.size());
}

std::optional<std::string> Users::WrongAnswer(const RecordedCall& call) const {
  if (call.method == Method::kRoleGet) return WrongPermissions(call);
  std::set<std::string> expected;
  if (call.method == Method::kUserList) {
    for (const auto& [name, roles] : users_) expected.insert(name);
  } else if (call.method == Method::kRoleList) {
    for (const auto& [name, permitted] : roles_) expected.insert(name);
  } else if (call.method == Method::kUserGet) {
    const auto user = users_.find(AskedBy(call).name);
    if (user == users_.end()) return std::nullopt;
    expected = user->second;
  } else {
    return std::nullopt;
  }
  NamesResponseView answer;
  if (!Parse(call.response.view(), answer).ok()) return std::nullopt;
  const std::set<std::string> names(answer.names.begin(), answer.names.end());
  if (names == expected && names.size() == answer.names.size()) return std::nullopt;
  return fmt::format("{}", fmt::join(expected, ", "));
}

void Users::Follow(const RecordedCall& call) {
  const bool asks = call.method == Method::kUserGet || call.method == Method::kUserList ||
                    call.method == Method::kRoleGet || call.method == Method::kRoleList;
  if (!IsOfUsers(call.method) || asks) return;
  if (call.outcome == CallOutcome::kOpen) return LoseTrack();
  if (call.outcome != CallOutcome::kAnswered) return;
  const AskedOfUsers asked = AskedBy(call);
  switch (call.method) {
    case Method::kUserAdd:
      users_[asked.name];
      passwords_[asked.name] = asked.second;
      if (asked.no_password) passwords_[asked.name].reset();
      break;
    case Method::kUserChangePassword: {
      std::optional<std::string>& password = passwords_.try_emplace(asked.name, "").first->second;
      if (password) password = asked.second;
      break;
    }
    case Method::kUserDelete:
      users_.erase(asked.name);
      passwords_.erase(asked.name);
      break;
    case Method::kUserGrantRole:
      users_[asked.name].insert(asked.second);
      break;
    case Method::kUserRevokeRole:
      users_[asked.name].erase(asked.second);
      break;
    case Method::kRoleAdd:
      roles_[asked.name];
      break;
    case Method::kRoleDelete:
      roles_.erase(asked.name);
      for (auto& [user, roles] : users_) roles.erase(asked.name);
      break;
    case Method::kRoleGrantPermission:
      roles_[asked.name][asked.range] = asked.type;
      break;
    case Method::kRoleRevokePermission:
      roles_[asked.name].erase(asked.range);
      break;
    default:
      break;
  }
}

}  // namespace watchproof
