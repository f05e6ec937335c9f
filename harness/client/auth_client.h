// SPDX-License-Identifier: Apache-2.0
// Users and their rights on the target, set up by the harness itself: nothing of it is recorded,
// because nothing of it is judged.
//
//   AuthClient auth("127.0.0.1:2379");
//   WP_RETURN_IF_ERROR(auth.AddReader("reader", "a", "b"));
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

  // A user with a password of our making, who may read this and nothing else. Requires: not enabled
  // yet.
  Status AddReader(const std::string& user, const std::string& key, const std::string& range_end);
  // From here on every call needs a token; returns that of the user root, who may do everything.
  Result<std::string> Enable();
  Result<std::string> LogIn(const std::string& user);

 private:
  class Impl;
  const std::unique_ptr<Impl> impl_;
};

}  // namespace watchproof
