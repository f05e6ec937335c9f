// SPDX-License-Identifier: Apache-2.0
#include "harness/model/users.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/history/wire_writer.h"

namespace watchproof {
namespace {

using testing::Optional;

RecordedCall CallOf(Method method, const Message& request, const Message& answer = {}) {
  return {.method = method,
          .outcome = CallOutcome::kAnswered,
          .code = StatusCode::kOk,
          .request = Bytes::Take(request.bytes()),
          .response = Bytes::Take(answer.bytes())};
}
Message About(const std::string& name) { return Message().Text(1, name); }
Message About(const std::string& name, const std::string& second) {
  return About(name).Text(2, second);
}
Message Granting(const std::string& role, const std::string& key) {
  return About(role).Nested(2, Message().Text(2, key));
}

// User "reader" has a role of this name, which permits "k"; "root" has the role root.
class UsersTest : public testing::Test {
 protected:
  UsersTest() {
    users_.State({.user = "root", .roles = {"root"}, .ranges = {}});
    users_.State({.user = "reader", .roles = {"reader"}, .ranges = {{.read = true, .key = {"k"}}}});
  }
  std::optional<std::string> Why(Method method, const Message& request) const {
    return users_.WhyRefused(CallOf(method, request));
  }
  void Do(Method method, const Message& request) { users_.Follow(CallOf(method, request)); }
  std::optional<std::string> Wrong(Method method, const Message& request,
                                   const std::vector<std::string>& names) const {
    Message answer;
    for (const std::string& name : names) answer.Text(2, name);
    return users_.WrongAnswer(CallOf(method, request, answer));
  }

  Users users_;
};

TEST_F(UsersTest, AUserOfWhichThereIsNoneIsRefused) {
  for (const Method method : {Method::kUserGet, Method::kUserDelete, Method::kUserChangePassword,
                              Method::kUserGrantRole, Method::kUserRevokeRole}) {
    EXPECT_THAT(Why(method, About("x", "reader")), Optional(std::string("there is no user x")));
  }
  EXPECT_EQ(Why(Method::kUserGet, About("reader")), std::nullopt);
  EXPECT_THAT(Why(Method::kUserAdd, About("reader")),
              Optional(std::string("there is a user reader")));
  EXPECT_EQ(Why(Method::kUserAdd, About("x")), std::nullopt);
}

TEST_F(UsersTest, ATokenIsForTheLatestPassword) {
  const auto why = [this](const std::string& name, const std::string& password) {
    return Why(Method::kAuthenticate, About(name, password));
  };
  const auto has = [this](const std::string& password) {
    return users_.HasPassword(CallOf(Method::kAuthenticate, About("new", password)));
  };
  EXPECT_THAT(why("new", "one"), Optional(std::string("there is no user new")));
  EXPECT_EQ(why("reader", "any"), std::nullopt) << "it is not known";
  Do(Method::kUserAdd, About("new", "one"));
  EXPECT_EQ(why("new", "one"), std::nullopt);
  EXPECT_TRUE(has("one"));
  EXPECT_THAT(why("new", "two"), Optional(std::string("user new has another password")));
  Do(Method::kUserChangePassword, About("new", "two"));
  EXPECT_THAT(why("new", "one"), Optional(std::string("user new has another password")));
  EXPECT_FALSE(has("one"));
  EXPECT_TRUE(has("two"));
  Do(Method::kUserDelete, About("new"));
  EXPECT_THAT(why("new", "two"), Optional(std::string("there is no user new")));
}

TEST_F(UsersTest, AUserWithoutAPasswordGetsNoToken) {
  Do(Method::kUserAdd, About("new", "").Nested(3, Message().Number(1, 1)));
  const auto why = [this](const std::string& password) {
    return Why(Method::kAuthenticate, About("new", password));
  };
  const auto none = Optional(std::string("user new has no password"));
  for (const char* password : {"", "one"}) EXPECT_THAT(why(password), none);
  Do(Method::kUserChangePassword, About("new", "one"));
  EXPECT_THAT(why("one"), none) << "it has none for good";
  Do(Method::kUserDelete, About("new"));
  Do(Method::kUserAdd, About("new", "one").Nested(3, Message()));
  EXPECT_EQ(why("one"), std::nullopt);
}

TEST_F(UsersTest, ARoleOfWhichThereIsNoneIsRefused) {
  for (const Method method : {Method::kRoleGet, Method::kRoleDelete, Method::kRoleGrantPermission,
                              Method::kRoleRevokePermission}) {
    EXPECT_THAT(Why(method, About("x", "k")), Optional(std::string("there is no role x")));
  }
  EXPECT_THAT(Why(Method::kRoleAdd, About("reader")),
              Optional(std::string("there is a role reader")));
  EXPECT_THAT(Why(Method::kUserGrantRole, About("reader", "x")),
              Optional(std::string("there is no role x")));
  EXPECT_EQ(Why(Method::kUserGrantRole, About("reader", "root")), std::nullopt);
}

TEST_F(UsersTest, WhatIsTakenMustHaveBeenGiven) {
  EXPECT_TRUE(Why(Method::kUserRevokeRole, About("reader", "root")));
  EXPECT_FALSE(Why(Method::kUserRevokeRole, About("reader", "reader")));
  EXPECT_TRUE(Why(Method::kRoleRevokePermission, About("reader", "other")));
  EXPECT_FALSE(Why(Method::kRoleRevokePermission, About("reader", "k")));
}

TEST_F(UsersTest, CallsChangeThem) {
  Do(Method::kUserAdd, About("x"));
  Do(Method::kRoleAdd, About("y"));
  Do(Method::kRoleGrantPermission, Granting("y", "m"));
  Do(Method::kUserGrantRole, About("x", "y"));
  EXPECT_FALSE(Why(Method::kRoleRevokePermission, About("y", "m")));
  EXPECT_FALSE(Wrong(Method::kUserGet, About("x"), {"y"}));
  Do(Method::kRoleRevokePermission, About("y", "m"));
  EXPECT_TRUE(Why(Method::kRoleRevokePermission, About("y", "m")));
  Do(Method::kRoleDelete, About("y"));
  EXPECT_FALSE(Wrong(Method::kUserGet, About("x"), {}));
  Do(Method::kUserDelete, About("x"));
  EXPECT_TRUE(Why(Method::kUserGet, About("x")));
}

TEST_F(UsersTest, ListsAreWhole) {
  EXPECT_FALSE(Wrong(Method::kUserList, {}, {"root", "reader"}));
  EXPECT_THAT(Wrong(Method::kUserList, {}, {"root"}), Optional(std::string("reader, root")));
  EXPECT_TRUE(Wrong(Method::kRoleList, {}, {"reader", "root", "x"}));
  EXPECT_TRUE(Wrong(Method::kUserGet, About("reader"), {"reader", "reader"}));
}

TEST_F(UsersTest, ARolePermitsWhatItWasGranted) {
  const auto wrong = [this](const Message& permission) {
    return users_.WrongAnswer(
        CallOf(Method::kRoleGet, About("reader"), Message().Nested(2, permission)));
  };
  EXPECT_FALSE(wrong(Message().Text(2, "k")));
  EXPECT_TRUE(wrong(Message().Number(1, 2).Text(2, "k")));
  EXPECT_TRUE(wrong(Message().Text(2, "k").Text(3, "l")));
  Do(Method::kRoleGrantPermission, About("reader").Nested(2, Message().Number(1, 2).Text(2, "k")));
  EXPECT_FALSE(wrong(Message().Number(1, 2).Text(2, "k")));
}

TEST_F(UsersTest, WhatIsUncertainIsNotKnown) {
  EXPECT_TRUE(users_.known());
  users_.BeUnsure("reader");
  EXPECT_FALSE(users_.known());
  users_.State({.user = "reader", .roles = {"reader"}, .ranges = {}});
  EXPECT_TRUE(users_.known());
  RecordedCall lost = CallOf(Method::kUserAdd, About("x"));
  lost.outcome = CallOutcome::kOpen;
  users_.Follow(lost);
  EXPECT_FALSE(users_.known());
  EXPECT_FALSE(Users().known());
}

}  // namespace
}  // namespace watchproof
