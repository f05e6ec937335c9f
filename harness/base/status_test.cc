// SPDX-License-Identifier: Apache-2.0
#include "harness/base/status.h"

#include <gtest/gtest.h>

namespace watchproof {
namespace {

Result<int> Half(int n) {
  if (n % 2 != 0) return Fail(StatusCode::kInvalidArgument, "{} is odd", n);
  return n / 2;
}
Result<int> Quarter(int n) {
  WP_ASSIGN_OR_RETURN(const int half, Half(n));
  return Half(half);
}
Status Check(int n) {
  WP_ASSIGN_OR_RETURN(const int quarter, Quarter(n));
  WP_RETURN_IF_ERROR(quarter > 1 ? Status() : Fail(StatusCode::kOutOfRange, "too small"));
  return {};
}

TEST(Status, PassesValuesAndErrorsThrough) {
  EXPECT_EQ(Quarter(12).value(), 3);
  EXPECT_EQ(Quarter(6).error().message(), "3 is odd");
  EXPECT_TRUE(Check(12).ok());
  EXPECT_EQ(Check(4).code(), StatusCode::kOutOfRange);
}

TEST(Status, KeepsTheCodeAndPutsTheOutermostContextFirst) {
  const Status status =
      Fail(StatusCode::kUnavailable, "refused").WithContext("dial {}", "a").WithContext("start");
  EXPECT_EQ(status.message(), "start: dial a: refused");
  EXPECT_EQ(status.code(), StatusCode::kUnavailable);
}

TEST(Status, AConnectionThatIsLostIsUnavailableInAllWordsOfTheLibrary) {
  struct Rpc {
    int code;
    std::string message;
    bool ok() const { return code == 0; }
    int error_code() const { return code; }
    const std::string& error_message() const { return message; }
  };
  EXPECT_TRUE(FromRpcStatus(Rpc{0, ""}).ok());
  EXPECT_EQ(FromRpcStatus(Rpc{14, "Socket closed"}).code(), StatusCode::kUnavailable);
  EXPECT_EQ(FromRpcStatus(Rpc{2, "Stream removed"}).code(), StatusCode::kUnavailable);
  EXPECT_EQ(FromRpcStatus(Rpc{2, "of the server"}).code(), StatusCode::kUnknown);
}

TEST(Status, MapsSystemErrorsByMeaning) {
  EXPECT_EQ(FromErrno(ENOENT).code(), StatusCode::kNotFound);
  EXPECT_EQ(FromErrno(ECONNREFUSED).code(), StatusCode::kUnavailable);
  EXPECT_EQ(FromErrno(EADDRINUSE).code(), StatusCode::kAlreadyExists);
  EXPECT_TRUE(FromErrorCode({}).ok());
}

}  // namespace
}  // namespace watchproof
