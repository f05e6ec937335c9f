// SPDX-License-Identifier: Apache-2.0
#include "embedded_store/auth/password.h"

#include <gtest/gtest.h>

#include "embedded_store/auth/token_table.h"

namespace watchproof::store {
namespace {

constexpr PasswordPrice kCheap{.log2 = 1};

TEST(Passwords, MatchOnlyTheirOwnHash) {
  const std::string kept = HashPassword("secret", kCheap);
  EXPECT_TRUE(MatchesPassword("secret", kept));
  EXPECT_FALSE(MatchesPassword("Secret", kept));
  EXPECT_FALSE(MatchesPassword("", kept));
  EXPECT_TRUE(MatchesPassword("", HashPassword("", kCheap)));
}

TEST(Passwords, AreSaltedAnewEachTime) {
  EXPECT_NE(HashPassword("secret", kCheap), HashPassword("secret", kCheap));
}

// The test vector of RFC 7914, section 12.
TEST(Passwords, MatchTheVectorOfTheRfc) {
  EXPECT_TRUE(MatchesPassword("pleaseletmein",
                              "scrypt$14$536f6469756d43686c6f72696465$"
                              "7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2"));
}

TEST(Passwords, MatchNoMalformedHash) {
  const std::string kept = HashPassword("secret", kCheap);
  const std::string others[] = {"",
                                "secret",
                                "$$$",
                                "scrypt$1$$",
                                "md5" + kept,
                                kept + "$00",
                                "scrypt$99$00$00",
                                kept + "00",
                                kept.substr(0, kept.size() - 2)};
  for (const std::string& other : others) {
    EXPECT_FALSE(MatchesPassword("secret", other)) << other;
    EXPECT_FALSE(MatchesPassword("", other)) << other;
  }
}

constexpr TimePoint kStart{1h};

TEST(Tokens, ExpireWhenUnused) {
  TokenTable tokens(10s);
  const std::string token = tokens.Assign("alice", kStart);
  EXPECT_EQ(tokens.Find(token, kStart + 9s), "alice");
  EXPECT_EQ(tokens.Find(token, kStart + 18s), "alice");
  EXPECT_EQ(tokens.Find(token, kStart + 28s), std::nullopt);
  EXPECT_EQ(tokens.size(), 0U);
}

TEST(Tokens, AreDroppedWithTheirUser) {
  TokenTable tokens(10s);
  const std::string alice = tokens.Assign("alice", kStart);
  const std::string bob = tokens.Assign("bob", kStart);
  tokens.ForgetUser("alice");
  EXPECT_EQ(tokens.Find(alice, kStart), std::nullopt);
  EXPECT_EQ(tokens.Find(bob, kStart), "bob");
  EXPECT_EQ(tokens.Find("bob", kStart), std::nullopt);
}

TEST(Tokens, DoNotPileUpWhenUnused) {
  TokenTable tokens(10s);
  for (int i = 0; i < 100; ++i) tokens.Assign("alice", kStart);
  tokens.Assign("alice", kStart + 10s);
  EXPECT_EQ(tokens.size(), 1U);
}

}  // namespace
}  // namespace watchproof::store
