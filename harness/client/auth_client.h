// SPDX-License-Identifier: Apache-2.0
// Sets up users and their rights on the target. These calls are not recorded, because they are not
// judged.
//
//   AuthClient auth("127.0.0.1:2379");
//   WP_RETURN_IF_ERROR(auth.AddUser("reader"));
//   WP_RETURN_IF_ERROR(auth.PermitReading("reader", "a", "b"));
//   WP_ASSIGN_OR_RETURN(const std::string root, auth.Enable());
//   WP_ASSIGN_OR_RETURN(const std::string token, auth.LogIn("reader"));
//
// Threads: any; a call blocks its caller until the answer or its time limit.
#pragma once

#include <memory>
#include <string>

#include "harness/base/status.h"

namespace watchproof {

class AuthClient {
 public:
  explicit AuthClient(const std::string& endpoint);
  ~AuthClient();

  // A user with a generated password, and no rights yet. Requires: authentication is not
  // enabled yet.
  Status AddUser(const std::string& user);
  // Beside what the user could read before; also once authentication is enabled.
  Status PermitReading(const std::string& user, const std::string& key,
                       const std::string& range_end);
  // From here on every call needs a token; returns the token of user root, which has all rights.
  Result<std::string> Enable();
  Result<std::string> LogIn(const std::string& user);

 private:
  class Impl;
  const std::unique_ptr<Impl> impl_;
};

}  // namespace watchproof
