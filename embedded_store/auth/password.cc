// SPDX-License-Identifier: Apache-2.0
#include "embedded_store/auth/password.h"

#include <fmt/format.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/rand.h>

#include <array>
#include <cstdint>
#include <vector>

#include "harness/base/check.h"
#include "harness/base/parse.h"

namespace watchproof::store {
namespace {

constexpr std::size_t kSaltBytes = 16;
constexpr std::size_t kHashBytes = 32;
constexpr std::uint64_t kBlockSize = 8;
constexpr std::uint64_t kParallel = 1;
// scrypt takes 128 · N · r bytes; what is stored may ask for four times the default and no more.
constexpr int kHighestPrice = 16;
constexpr std::uint64_t kMemory = (std::uint64_t{128} * kBlockSize << kHighestPrice) + (1U << 20);
constexpr std::string_view kScheme = "scrypt";

using Key = std::array<unsigned char, kHashBytes>;

Key Derive(std::string_view password, std::string_view salt, PasswordPrice price) {
  Key key;
  const int done = EVP_PBE_scrypt(password.data(), password.size(),
                                  reinterpret_cast<const unsigned char*>(salt.data()), salt.size(),
                                  std::uint64_t{1} << price.log2, kBlockSize, kParallel, kMemory,
                                  key.data(), key.size());
  WP_CHECK(done == 1, "scrypt takes these parameters");
  return key;
}

std::string RandomBytes(std::size_t count) {
  std::string bytes(count, '\0');
  const int done =
      RAND_bytes(reinterpret_cast<unsigned char*>(bytes.data()), static_cast<int>(bytes.size()));
  WP_CHECK(done == 1, "the system has randomness to give");
  return bytes;
}

std::vector<std::string_view> Split(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  for (std::size_t end = 0; (end = text.find(at)) != std::string_view::npos;) {
    parts.push_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  parts.push_back(text);
  return parts;
}

}  // namespace

std::string HashPassword(std::string_view password, PasswordPrice price) {
  WP_CHECK(price.log2 > 0 && price.log2 <= kHighestPrice, "a price that can be paid");
  const std::string salt = RandomBytes(kSaltBytes);
  const Key key = Derive(password, salt, price);
  const std::string_view bytes(reinterpret_cast<const char*>(key.data()), key.size());
  return fmt::format("{}${}${}${}", kScheme, price.log2, HexOf(salt), HexOf(bytes));
}

bool MatchesPassword(std::string_view password, std::string_view kept) {
  const std::vector<std::string_view> parts = Split(kept, '$');
  if (parts.size() != 4 || parts[0] != kScheme) return false;
  const PasswordPrice price{.log2 = ParseNumber<int>(parts[1]).value_or(0)};
  const std::string salt = BytesOfHex(parts[2]).value_or("");
  const std::string key = BytesOfHex(parts[3]).value_or("");
  if (price.log2 <= 0 || price.log2 > kHighestPrice || key.size() != kHashBytes) return false;
  const Key derived = Derive(password, salt, price);
  // In constant time: the duration does not depend on where the two differ.
  return CRYPTO_memcmp(derived.data(), key.data(), key.size()) == 0;
}

std::string RandomLetters(std::size_t count) {
  constexpr std::string_view kLetters =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
  std::string letters;
  while (letters.size() < count) {
    for (const char byte : RandomBytes(count)) {
      const auto number = static_cast<unsigned char>(byte) & 63U;
      // Each letter is as likely as any other.
      if (number < kLetters.size() && letters.size() < count) letters += kLetters[number];
    }
  }
  return letters;
}

}  // namespace watchproof::store
