// SPDX-License-Identifier: Apache-2.0
// Stored passwords: scrypt, each with its own salt, in one text that records the parameters, so
// that the price can be raised without invalidating stored ones.
//
//   const std::string kept = HashPassword("secret", price);
//   MatchesPassword("secret", kept)
//
// Threads: free functions without state. Both take tens of milliseconds at the default price: call
// them without a lock.
#pragma once

#include <string>
#include <string_view>

namespace watchproof::store {

// scrypt's N as a power of two; 14 takes 16 MiB and about 50 ms.
struct PasswordPrice {
  int log2 = 14;
};

std::string HashPassword(std::string_view password, PasswordPrice price);
// False also when `kept` is empty or not such a text: then no password matches.
bool MatchesPassword(std::string_view password, std::string_view kept);

// Letters from a cryptographic random source, for tokens.
std::string RandomLetters(std::size_t count);

}  // namespace watchproof::store
