// SPDX-License-Identifier: Apache-2.0
// What an operator does with the target before it is judged: users and their rights; and
// defragmentation. These calls are not recorded: what they make is stated in the recording.
//
//   AdminClient admin("127.0.0.1:2379");
//   WP_RETURN_IF_ERROR(admin.AddUser("reader"));
//   WP_RETURN_IF_ERROR(admin.Permit("reader", Permission::kRead, {"a", "b"}));
//   WP_RETURN_IF_ERROR(admin.AddRoot());
//   WP_ASSIGN_OR_RETURN(const std::string root, admin.Enable());
//   WP_ASSIGN_OR_RETURN(const std::string token, admin.LogIn("reader"));
//
// What concerns users is asked again while a cluster has no leader, for 15 s.
//
// Threads: any; a call blocks its caller until the answer or its time limit.
#pragma once

#include <cstdint>
#include <string>

#include "harness/client/call_client.h"

namespace watchproof {

// As etcd numbers them.
enum class Permission { kRead, kWrite, kReadAndWrite };

class AdminClient {
 public:
  static constexpr const char* kRoot = "root";

  // Connects with the first call. Without a token the calls have no user.
  explicit AdminClient(const std::string& endpoint, const std::string& token = {});

  // A user with a generated password, and no rights yet. One that is there already stays as it is.
  Status AddUser(const std::string& user);
  static std::string PasswordOf(const std::string& user) { return "password of " + user; }
  // The name of the role that gives the user its rights.
  static std::string RoleOf(const std::string& user) { return "rights of " + user; }
  // Beside what the user might do before; also once authentication is enabled.
  struct Keys {
    std::string key;
    std::string range_end{};
  };
  Status Permit(const std::string& user, Permission permission, const Keys& keys);
  // Takes back what was permitted of this very range.
  Status Forbid(const std::string& user, const Keys& keys);
  Status MakeRoot(const std::string& user);
  // The user root and the role of its name, which has all rights.
  Status AddRoot() { return AddUser(kRoot, kRoot); }
  // From here on every call needs a token; returns the token of user root, which has to be there.
  Result<std::string> Enable();
  Result<std::string> LogIn(const std::string& user);
  // The same of user root. The member has carried out every call by then that ended before this.
  Result<std::string> LogInAsRoot();

  // Blocks: until it is done; the target may answer no other call meanwhile.
  Status Defragment();

 private:
  Status AddUser(const std::string& user, const std::string& role);

  CallClient users_;
  CallClient maintenance_;
};

}  // namespace watchproof
