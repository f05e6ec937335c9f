// SPDX-License-Identifier: Apache-2.0
#include "embedded_store/auth/auth_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "embedded_store/backend/memory_backend.h"
#include "embedded_store/mvcc/errors.h"

namespace watchproof::store {
namespace {

using testing::ElementsAre;

constexpr TimePoint kNow{1h};
const std::string kZero(1, '\0');

std::string Text(const Status& status) { return status.ok() ? "ok" : status.message(); }
template <typename T>
std::string Text(const Result<T>& result) {
  return result ? "ok" : result.error().message();
}

Need Read(const std::string& begin, const std::string& end = "") {
  return {Right::kRead, {begin, end}};
}
Need Write(const std::string& begin, const std::string& end = "") {
  return {Right::kWrite, {begin, end}};
}

class Auth : public testing::Test {
 protected:
  Auth() { Reopen(); }
  void Reopen() {
    auth_ = std::make_unique<AuthStore>(
        *backend_, AuthOptions{.token_lifetime = 10s, .password_price = {.log2 = 1}});
    ASSERT_EQ(Text(auth_->Recover()), "ok");
  }
  // root, and alice with the role reader.
  void Populate() {
    EXPECT_TRUE(auth_->AddUser({.name = "root", .password = "r"}).ok());
    EXPECT_TRUE(auth_->GrantRole("root", "root").ok());
    EXPECT_TRUE(auth_->AddUser({.name = "alice", .password = "a"}).ok());
    EXPECT_TRUE(auth_->AddRole("reader").ok());
    EXPECT_TRUE(auth_->GrantRole("alice", "reader").ok());
  }
  void Enable() {
    Populate();
    EXPECT_TRUE(auth_->Enable().ok());
  }
  Result<Caller> LogIn(const std::string& name, const std::string& password) {
    WP_ASSIGN_OR_RETURN(const std::string token, auth_->Authenticate(name, password, kNow));
    return auth_->Identify({.token = token}, kNow);
  }
  Caller As(const std::string& name) { return {.user = name, .revision = auth_->revision()}; }
  void Grant(Right right, const std::string& begin, const std::string& end = "") {
    EXPECT_TRUE(auth_->GrantPermission("reader", {right, {begin, end}}).ok());
  }

  std::unique_ptr<MemoryBackend> backend_ = std::make_unique<MemoryBackend>(Durable::kYes);
  std::unique_ptr<AuthStore> auth_;
};

TEST_F(Auth, IsEnabledOnlyWithAUserRootThatHasTheRoleRoot) {
  EXPECT_EQ(Text(auth_->Enable()), "etcdserver: root user does not exist");
  ASSERT_TRUE(auth_->AddUser({.name = "root", .password = "r"}).ok());
  EXPECT_EQ(Text(auth_->Enable()), "etcdserver: root user does not have root role");
  // The role need not exist to be granted.
  ASSERT_TRUE(auth_->GrantRole("root", "root").ok());
  EXPECT_FALSE(auth_->enabled());
  EXPECT_EQ(Text(auth_->Enable()), "ok");
  EXPECT_EQ(Text(auth_->Enable()), "ok");
  EXPECT_TRUE(auth_->enabled());
}

struct RefusalRow {
  const char* what;
  std::function<Status(AuthStore&)> call;
  const char* answer;
};

void ExpectAnswers(AuthStore& auth, const std::vector<RefusalRow>& rows) {
  for (const RefusalRow& row : rows) EXPECT_EQ(Text(row.call(auth)), row.answer) << row.what;
}

TEST_F(Auth, RefusesWithEtcdsTexts) {
  Populate();
  ExpectAnswers(
      *auth_,
      {{"a user without a name", [](auto& a) { return a.AddUser({.name = ""}); },
        "etcdserver: user name is empty"},
       {"a user that exists", [](auto& a) { return a.AddUser({.name = "alice"}); },
        "etcdserver: user name already exists"},
       {"deleting an unknown user", [](auto& a) { return a.DeleteUser("bob"); },
        "etcdserver: user name not found"},
       {"a password for an unknown user", [](auto& a) { return a.ChangePassword("bob", "b"); },
        "etcdserver: user name not found"},
       {"a role for an unknown user", [](auto& a) { return a.GrantRole("bob", "reader"); },
        "etcdserver: user name not found"},
       {"no such role for someone", [](auto& a) { return a.GrantRole("alice", "writer"); },
        "etcdserver: role name not found"},
       {"a role that is there already", [](auto& a) { return a.GrantRole("alice", "reader"); },
        "ok"},
       {"taking a role that is not there", [](auto& a) { return a.RevokeRole("alice", "root"); },
        "etcdserver: role is not granted to the user"},
       {"a role without a name", [](auto& a) { return a.AddRole(""); },
        "etcdserver: role name is empty"},
       {"a role that exists", [](auto& a) { return a.AddRole("reader"); },
        "etcdserver: role name already exists"},
       {"deleting no role", [](auto& a) { return a.DeleteRole("writer"); },
        "etcdserver: role name not found"},
       {"a right for no role",
        [](auto& a) {
          return a.GrantPermission("writer", {{}, {"a", ""}});
        },
        "etcdserver: role name not found"},
       {"a right on no keys",
        [](auto& a) {
          return a.GrantPermission("reader", {{}, {"b", "a"}});
        },
        "etcdserver: invalid auth management"},
       {"taking a right that is not there",
        [](auto& a) {
          return a.RevokePermission("reader", {"a", ""});
        },
        "etcdserver: permission is not granted to the role"},
       {"root goes while auth is off", [](auto& a) { return a.DeleteUser("root"); }, "ok"}});
}

TEST_F(Auth, RefusesNamesTooLongForTheBackend) {
  const std::string longest(256, 'n');
  EXPECT_EQ(Text(auth_->AddUser({.name = longest, .password = "x"})), "ok");
  EXPECT_EQ(Text(auth_->AddRole(longest)), "ok");
  const Status no = ErrNameTooLong();
  EXPECT_EQ(Text(auth_->AddUser({.name = longest + "n", .password = "x"})), no.message());
  EXPECT_EQ(Text(auth_->AddRole(longest + "n")), no.message());
}

TEST_F(Auth, RefusesToDeleteRootWhileEnabled) {
  Enable();
  ASSERT_TRUE(auth_->AddRole("root").ok());
  ExpectAnswers(*auth_, {{"the user", [](auto& a) { return a.DeleteUser("root"); },
                          "etcdserver: invalid auth management"},
                         {"its role", [](auto& a) { return a.RevokeRole("root", "root"); },
                          "etcdserver: invalid auth management"},
                         {"the role", [](auto& a) { return a.DeleteRole("root"); },
                          "etcdserver: invalid auth management"}});
}

TEST_F(Auth, ChecksThePasswordAtLogin) {
  Populate();
  ASSERT_TRUE(auth_->AddUser({.name = "cert", .no_password = true}).ok());
  EXPECT_EQ(Text(LogIn("alice", "a")), "etcdserver: authentication is not enabled");
  ASSERT_TRUE(auth_->Enable().ok());
  const auto caller = LogIn("alice", "a");
  ASSERT_TRUE(caller.has_value());
  EXPECT_EQ(caller->user, "alice");
  EXPECT_EQ(Text(LogIn("alice", "b")),
            "etcdserver: authentication failed, invalid user ID or password");
  EXPECT_EQ(Text(LogIn("bob", "a")),
            "etcdserver: authentication failed, invalid user ID or password");
  EXPECT_EQ(Text(LogIn("cert", "")),
            "auth: authentication failed, password was given for no password user");
}

TEST_F(Auth, DropsTokensOnPasswordChangeUserDeletionAndDisable) {
  Enable();
  const auto valid = [this](const std::string& token) {
    return Text(auth_->Identify({.token = token}, kNow));
  };
  const std::string refused = "etcdserver: invalid auth token";
  std::string token = *auth_->Authenticate("alice", "a", kNow);
  EXPECT_EQ(valid("made up"), refused);
  EXPECT_EQ(valid(token), "ok");
  ASSERT_TRUE(auth_->ChangePassword("alice", "new").ok());
  EXPECT_EQ(valid(token), refused);
  EXPECT_FALSE(auth_->Authenticate("alice", "a", kNow).has_value());
  token = *auth_->Authenticate("alice", "new", kNow);
  ASSERT_TRUE(auth_->Disable().ok());
  EXPECT_EQ(valid(token), "ok") << "without auth a token is not looked at";
  ASSERT_TRUE(auth_->Enable().ok());
  EXPECT_EQ(valid(token), refused);
  token = *auth_->Authenticate("alice", "new", kNow);
  ASSERT_TRUE(auth_->DeleteUser("alice").ok());
  EXPECT_EQ(valid(token), refused);
}

TEST_F(Auth, IdentifiesTheCaller) {
  Enable();
  const std::string token = *auth_->Authenticate("alice", "a", kNow);
  EXPECT_EQ(auth_->Identify({}, kNow)->revision, 0U);
  EXPECT_EQ(auth_->Identify({.common_name = "cert"}, kNow)->user, "cert");
  EXPECT_EQ(auth_->Identify({.token = token, .common_name = "cert"}, kNow)->user, "alice");
  EXPECT_EQ(Text(auth_->Identify({.token = token}, kNow + 11s)), "etcdserver: invalid auth token");
}

TEST_F(Auth, AllowsTheRangesOfTheUsersRoles) {
  Enable();
  ASSERT_TRUE(auth_->AddRole("writer").ok());
  ASSERT_TRUE(auth_->GrantRole("alice", "writer").ok());
  Grant(Right::kRead, "a", "c");
  ASSERT_TRUE(auth_->GrantPermission("writer", {Right::kWrite, {"b", "d"}}).ok());
  ASSERT_TRUE(auth_->GrantPermission("writer", {Right::kReadWrite, {"c", "e"}}).ok());
  struct Row {
    Needs needs;
    bool allowed;
  };
  const Row rows[] = {
      {{}, true},
      {{Read("a")}, true},
      {{Write("a")}, false},
      {{Read("b")}, true},
      {{Write("b")}, true},
      {{Read("a", "e")}, true},  // by two roles together
      {{Write("b", "e")}, true},
      {{Read("a", kZero)}, false},
      {{Read("a"), Write("d")}, true},
      {{Read("a"), Write("e")}, false},  // all or nothing
  };
  for (const Row& row : rows) {
    EXPECT_EQ(Text(auth_->Check(As("alice"), row.needs)),
              row.allowed ? "ok" : "etcdserver: permission denied")
        << testing::PrintToString(row.needs.size()) << " from " << &row - rows;
  }
  EXPECT_EQ(Text(auth_->Check(As("root"), {Write(kZero, kZero)})), "ok");
  EXPECT_EQ(Text(auth_->Check(As("unknown"), {Read("a")})), "etcdserver: permission denied");
  EXPECT_EQ(Text(auth_->Check({}, {Read("a")})), "etcdserver: user name is empty");
}

TEST_F(Auth, AllowsEverythingWhileDisabled) {
  Populate();
  EXPECT_EQ(Text(auth_->Check({}, {Write("a")})), "ok");
  EXPECT_EQ(Text(auth_->CheckAdmin({})), "ok");
  EXPECT_EQ(Text(auth_->CheckNamed({})), "ok");
  EXPECT_EQ(Text(auth_->CheckNow("", {Read("a")})), "ok");
}

TEST_F(Auth, RefusesACallerIdentifiedBeforeTheLastChange) {
  Enable();
  Grant(Right::kRead, "a");
  const Caller early = As("alice");
  EXPECT_EQ(Text(auth_->Check(early, {Read("a")})), "ok");
  Grant(Right::kRead, "b");
  EXPECT_EQ(Text(auth_->Check(early, {Read("a")})), "etcdserver: revision of auth store is old");
  EXPECT_EQ(Text(auth_->Check(As("alice"), {Read("a")})), "ok");
}

TEST_F(Auth, ReservesAdministrationForRoot) {
  Enable();
  EXPECT_EQ(Text(auth_->CheckAdmin(As("root"))), "ok");
  EXPECT_EQ(Text(auth_->CheckAdmin(As("alice"))), "etcdserver: permission denied");
  EXPECT_EQ(Text(auth_->CheckAdmin(As("bob"))), "etcdserver: user name not found");
  EXPECT_EQ(Text(auth_->CheckAdmin({})), "etcdserver: user name is empty");
  EXPECT_EQ(Text(auth_->CheckNamed(As("alice"))), "ok");
  EXPECT_EQ(Text(auth_->CheckNamed({})), "etcdserver: user name is empty");
}

// Each way in which a right can be lost, for a user that had exercised it.
TEST_F(Auth, RevokesRights) {
  const std::function<Status(AuthStore&)> ways[] = {
      [](AuthStore& a) {
        return a.RevokePermission("reader", {"a", "c"});
      },
      [](AuthStore& a) { return a.RevokeRole("alice", "reader"); },
      [](AuthStore& a) { return a.DeleteRole("reader"); },
      [](AuthStore& a) { return a.DeleteUser("alice"); },
      [](AuthStore& a) {
        return a.GrantPermission("reader", {Right::kWrite, {"a", "c"}});
      },
  };
  for (const auto& way : ways) {
    backend_ = std::make_unique<MemoryBackend>(Durable::kYes);
    Reopen();
    Enable();
    Grant(Right::kRead, "a", "c");
    EXPECT_EQ(Text(auth_->CheckNow("alice", {Read("b")})), "ok");
    EXPECT_EQ(Text(way(*auth_)), "ok");
    EXPECT_EQ(Text(auth_->CheckNow("alice", {Read("b")})), "etcdserver: permission denied");
  }
}

TEST_F(Auth, ListsUsersAndRoles) {
  Populate();
  Grant(Right::kRead, "b");
  Grant(Right::kWrite, "a", "c");
  Grant(Right::kReadWrite, "b");  // instead of the first
  EXPECT_THAT(auth_->Users(), ElementsAre("alice", "root"));
  EXPECT_THAT(auth_->Roles(), ElementsAre("reader"));
  EXPECT_THAT(*auth_->RolesOf("alice"), ElementsAre("reader"));
  EXPECT_THAT(
      *auth_->PermissionsOf("reader"),
      ElementsAre(Permission{Right::kWrite, {"a", "c"}}, Permission{Right::kReadWrite, {"b", ""}}));
  EXPECT_FALSE(auth_->RolesOf("bob").has_value());
  EXPECT_FALSE(auth_->PermissionsOf("writer").has_value());
  EXPECT_TRUE(auth_->HasRole("alice", "reader"));
  EXPECT_FALSE(auth_->HasRole("bob", "reader"));
}

TEST_F(Auth, SurvivesARestartWithoutItsTokens) {
  Enable();
  Grant(Right::kReadWrite, "a" + kZero, kZero);
  ASSERT_TRUE(auth_->AddUser({.name = "gone"}).ok());
  ASSERT_TRUE(auth_->AddRole("gone").ok());
  ASSERT_TRUE(auth_->DeleteUser("gone").ok());
  ASSERT_TRUE(auth_->DeleteRole("gone").ok());
  const std::uint64_t revision = auth_->revision();
  const std::string token = *auth_->Authenticate("alice", "a", kNow);
  Reopen();
  EXPECT_TRUE(auth_->enabled());
  EXPECT_EQ(auth_->revision(), revision);
  EXPECT_THAT(auth_->Users(), ElementsAre("alice", "root"));
  EXPECT_THAT(auth_->Roles(), ElementsAre("reader"));
  EXPECT_EQ(Text(auth_->Check(As("alice"), {Write("b")})), "ok");
  EXPECT_EQ(Text(auth_->Identify({.token = token}, kNow)), "etcdserver: invalid auth token");
  EXPECT_TRUE(auth_->Authenticate("alice", "a", kNow).has_value());
  ASSERT_TRUE(auth_->Disable().ok());
  Reopen();
  EXPECT_FALSE(auth_->enabled());
}

TEST_F(Auth, CountsOnlyChanges) {
  EXPECT_EQ(auth_->revision(), 1U);
  Populate();
  EXPECT_EQ(auth_->revision(), 6U);
  ASSERT_TRUE(auth_->GrantRole("alice", "reader").ok());
  ASSERT_TRUE(auth_->Enable().ok());
  ASSERT_TRUE(LogIn("alice", "a").has_value());
  EXPECT_EQ(auth_->revision(), 6U);
  ASSERT_TRUE(auth_->Disable().ok());
  ASSERT_TRUE(auth_->Disable().ok());
  EXPECT_EQ(auth_->revision(), 7U);
}

TEST(ForeignRows, AreRefusedByName) {
  const std::string eight(8, '\1');
  const std::pair<std::string, std::string> rows[] = {
      {"enabled", ""},          {"revision", "12345"},  {"user/alice", "x"},
      {"user/alice", eight},    {"role/reader", eight}, {"something", ""},
      {"enabled", eight + "x"},
  };
  for (const auto& [key, value] : rows) {
    MemoryBackend backend(Durable::kYes);
    backend.Stage({{Bucket::kAuth, key, value}});
    const Status recovered = AuthStore(backend, {}).Recover();
    EXPECT_EQ(recovered.code(), StatusCode::kDataLoss) << key;
    EXPECT_THAT(recovered.message(), testing::HasSubstr(key));
  }
}

}  // namespace
}  // namespace watchproof::store
