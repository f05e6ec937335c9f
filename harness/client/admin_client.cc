// SPDX-License-Identifier: Apache-2.0
#include "harness/client/admin_client.h"

#include <thread>

#include "harness/history/wire.h"
#include "harness/history/wire_writer.h"

namespace watchproof {
namespace {

constexpr Duration kMaintenanceLimit = 20s;

// A cluster may elect a leader meanwhile.
constexpr Duration kElectionLimit = 15s;
constexpr Duration kBetweenTries = 100ms;

Status Do(const CallClient& calls, const std::string& path, const Message& request) {
  const Result<Bytes> answer = calls.Ask("/etcdserverpb." + path, request.bytes());
  return answer.has_value() ? Status() : answer.error();
}

// A question about users, which may be asked twice.
Result<Bytes> AskUsers(const CallClient& users, const std::string& path, const Message& request) {
  const Deadline deadline = Within(kElectionLimit);
  while (true) {
    Result<Bytes> answer = users.Ask("/etcdserverpb.Auth/" + path, request.bytes());
    if (answer.has_value() || deadline.expired()) return answer;
    const StatusCode code = answer.error().code();
    if (code != StatusCode::kUnavailable && code != StatusCode::kDeadlineExceeded) return answer;
    std::this_thread::sleep_for(kBetweenTries);
  }
}
Status DoUsers(const CallClient& users, const std::string& path, const Message& request) {
  const Result<Bytes> answer = AskUsers(users, path, request);
  return answer.has_value() ? Status() : answer.error();
}

}  // namespace

AdminClient::AdminClient(const std::string& endpoint, const std::string& token)
    : users_(MakeChannel(endpoint)),
      maintenance_(MakeChannel(endpoint), {.each = kMaintenanceLimit}) {
  users_.SetToken(token);
  maintenance_.SetToken(token);
}

Status AdminClient::AddUser(const std::string& user) { return AddUser(user, RoleOf(user)); }

Status AdminClient::AddUser(const std::string& user, const std::string& role) {
  const auto add = [this](const std::string& what, const Message& request) {
    const Status added = DoUsers(users_, what, request);
    return added.code() == StatusCode::kFailedPrecondition ? Status() : added;
  };
  WP_RETURN_IF_ERROR(add("RoleAdd", Message().Text(1, role)));
  WP_RETURN_IF_ERROR(add("UserAdd", Message().Text(1, user).Text(2, PasswordOf(user))));
  return DoUsers(users_, "UserGrantRole", Message().Text(1, user).Text(2, role));
}

Status AdminClient::Permit(const std::string& user, Permission permission, const Keys& keys) {
  Message given;
  given.Optional(1, static_cast<std::int64_t>(permission));
  given.Text(2, keys.key).OptionalText(3, keys.range_end);
  return DoUsers(users_, "RoleGrantPermission", Message().Text(1, RoleOf(user)).Nested(2, given));
}

Status AdminClient::Forbid(const std::string& user, const Keys& keys) {
  return DoUsers(users_, "RoleRevokePermission",
                 Message().Text(1, RoleOf(user)).Text(2, keys.key).OptionalText(3, keys.range_end));
}

Status AdminClient::MakeRoot(const std::string& user) {
  return DoUsers(users_, "UserGrantRole", Message().Text(1, user).Text(2, kRoot));
}

Result<std::string> AdminClient::Enable() {
  WP_RETURN_IF_ERROR(DoUsers(users_, "AuthEnable", Message()));
  WP_ASSIGN_OR_RETURN(std::string token, LogInAsRoot());
  users_.SetToken(token);
  return token;
}

Result<std::string> AdminClient::LogIn(const std::string& user) {
  const Message request = Message().Text(1, user).Text(2, PasswordOf(user));
  WP_ASSIGN_OR_RETURN(const Bytes answer, AskUsers(users_, "Authenticate", request));
  AuthenticateResponseView response;
  WP_RETURN_IF_ERROR(Parse(answer.view(), response));
  return std::string(response.token);
}

Result<std::string> AdminClient::LogInAsRoot() { return LogIn(kRoot); }

Status AdminClient::Defragment() { return Do(maintenance_, "Maintenance/Defragment", Message()); }

}  // namespace watchproof
