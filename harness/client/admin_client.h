// SPDX-License-Identifier: Apache-2.0
// What an operator asks of the target: users and their rights, alarms, defragmentation. These calls
// are not recorded: they change no revision and are not judged.
//
//   AdminClient admin("127.0.0.1:2379");
//   WP_RETURN_IF_ERROR(admin.AddUser("reader"));
//   WP_RETURN_IF_ERROR(admin.PermitReading("reader", "a", "b"));
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

class AdminClient {
 public:
  // Connects with the first call. Without a token the calls have no user.
  explicit AdminClient(const std::string& endpoint, const std::string& token = {});

  // A user with a generated password, and no rights yet. One that is there already stays as it is.
  Status AddUser(const std::string& user);
  // Beside what the user could read before; also once authentication is enabled.
  Status PermitReading(const std::string& user, const std::string& key,
                       const std::string& range_end);
  // The same of writing, too.
  Status PermitAll(const std::string& user, const std::string& key, const std::string& range_end);
  // From here on every call needs a token; returns the token of user root, which has all rights.
  Result<std::string> Enable();
  Result<std::string> LogIn(const std::string& user);
  // The same of user root. The member has carried out every call by then that ended before this.
  Result<std::string> LogInAsRoot();

  // Blocks: until it is done; the target may answer no other call meanwhile.
  Status Defragment();
  // To a release of the minor version before, "3.6.16" of 3.7. One of 3.4 needs no permission.
  Status PermitDowngrade(const std::string& release);
  // NOSPACE, for every member: raised or disarmed.
  Status SetAlarm(bool raised);

 private:
  Status AddUser(const std::string& user, const std::string& role);
  Status Permit(std::int64_t type, const std::string& user, const std::string& key,
                const std::string& range_end);

  CallClient users_;
  CallClient maintenance_;
};

}  // namespace watchproof
