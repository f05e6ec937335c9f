// SPDX-License-Identifier: Apache-2.0
// Users and roles, and the form in which they rest in the backend.
//
//   const Mutation row = UserRow("alice", user);
//   Status read = ReadAuthRow(key, value, state);      // back into the state it came from
//
// Threads: values, and free functions without state.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "embedded_store/auth/permission.h"
#include "embedded_store/backend/backend.h"
#include "harness/base/status.h"

namespace watchproof::store {

struct User {
  std::string password;      // as HashPassword made it; empty: none matches
  bool no_password = false;  // known by certificate only
  std::set<std::string> roles;
  bool operator==(const User&) const = default;
};

// By key, and for one key in the order in which they were granted.
struct Role {
  std::vector<Permission> permissions;
  bool operator==(const Role&) const = default;
};

struct AuthState {
  bool enabled = false;
  std::uint64_t revision = 1;  // one more with every change
  std::map<std::string, User> users;
  std::map<std::string, Role> roles;
  bool operator==(const AuthState&) const = default;
};

// The user or role of that name, or null.
template <typename Map>
auto* FindNamed(Map& map, const std::string& name) {
  const auto found = map.find(name);
  return found == map.end() ? nullptr : &found->second;
}

Mutation EnabledRow(bool enabled);
Mutation RevisionRow(std::uint64_t revision);
Mutation UserRow(const std::string& name, const User& user);
Mutation RoleRow(const std::string& name, const Role& role);
Mutation NoUserRow(const std::string& name);
Mutation NoRoleRow(const std::string& name);

// kDataLoss, naming the row, when it is none that the functions above make.
Status ReadAuthRow(std::string_view key, std::string_view value, AuthState& state);

}  // namespace watchproof::store
