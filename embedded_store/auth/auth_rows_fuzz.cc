// SPDX-License-Identifier: Apache-2.0
// Arbitrary bytes where users, roles and passwords rest: refused, or read to something that is
// written back as it was.
#include <cstdint>
#include <string_view>

#include "embedded_store/auth/auth_rows.h"
#include "embedded_store/auth/password.h"
#include "harness/base/check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace store = watchproof::store;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  for (const char* key : {"enabled", "revision", "user/a", "role/a", "other"}) {
    store::AuthState state;
    if (!store::ReadAuthRow(key, bytes, state).ok()) continue;
    store::AuthState again;
    for (const auto& [name, user] : state.users) {
      WP_CHECK(store::ReadAuthRow(key, *store::UserRow(name, user).value, again).ok(), "a user");
    }
    for (const auto& [name, role] : state.roles) {
      WP_CHECK(store::ReadAuthRow(key, *store::RoleRow(name, role).value, again).ok(), "a role");
    }
    WP_CHECK(again.users == state.users && again.roles == state.roles, "read is what was written");
  }
  // A price that is cheap, so that most texts are refused for their form.
  store::MatchesPassword("secret", "scrypt$1$" + std::string(bytes));
  return 0;
}
