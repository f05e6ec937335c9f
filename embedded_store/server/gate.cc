// SPDX-License-Identifier: Apache-2.0
#include "embedded_store/server/gate.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

namespace watchproof::store {
namespace {

constexpr const char* kCommonName = "x509_common_name";

std::optional<std::string> Metadata(const grpc::ServerContextBase& context, const char* key) {
  const auto found = context.client_metadata().find(key);
  if (found == context.client_metadata().end()) return std::nullopt;
  return std::string(found->second.data(), found->second.size());
}

// Clients look for these words in the reason of a watch that ended, to log in again.
std::string ReasonOf(const Status& status) {
  const char* code = "PermissionDenied";
  if (status.code() == StatusCode::kUnauthenticated) code = "Unauthenticated";
  if (status.code() == StatusCode::kInvalidArgument) code = "InvalidArgument";
  return fmt::format("rpc error: code = {} desc = {}", code, status.message());
}

}  // namespace

Credentials Gate::CredentialsOf(const Context& context) const {
  Credentials credentials{.token = Metadata(context, "token")};
  if (!credentials.token) credentials.token = Metadata(context, "authorization");
  if (names_ == CommonNames::kAreUsers) {
    const auto names = context.auth_context()->FindPropertyValues(kCommonName);
    if (!names.empty()) {
      credentials.common_name = std::string(names.front().data(), names.front().size());
    }
  }
  return credentials;
}

Result<Caller> Gate::CallerOf(const Context& context) const {
  return auth_.Identify(CredentialsOf(context), Clock::now());
}

Status Gate::AdmitUser(const Context& context) const {
  if (!auth_.enabled()) return {};
  WP_ASSIGN_OR_RETURN(const Caller caller, CallerOf(context));
  return auth_.CheckNamed(caller);
}

Status Gate::AdmitRoot(const Context& context) const {
  if (!auth_.enabled()) return {};
  WP_ASSIGN_OR_RETURN(const Caller caller, CallerOf(context));
  return auth_.CheckAdmin(caller);
}

Status Gate::AdmitRootOrUser(const Context& context, const std::string& user) const {
  if (!auth_.enabled()) return {};
  WP_ASSIGN_OR_RETURN(const Caller caller, CallerOf(context));
  const Status admin = auth_.CheckAdmin(caller);
  return caller.revision != 0 && caller.user == user ? Status() : admin;
}

Status Gate::AdmitRootOrHolder(const Context& context, const std::string& role) const {
  if (!auth_.enabled()) return {};
  WP_ASSIGN_OR_RETURN(const Caller caller, CallerOf(context));
  const Status admin = auth_.CheckAdmin(caller);
  return auth_.HasRole(caller.user, role) ? Status() : admin;
}

Status Gate::AdmitLeases(const Context& context, const std::vector<std::int64_t>& leases,
                         Right right) const {
  if (!auth_.enabled()) return {};
  WP_ASSIGN_OR_RETURN(const Caller caller, CallerOf(context));
  WP_RETURN_IF_ERROR(auth_.CheckNamed(caller));
  for (const std::int64_t lease : leases) {
    WP_RETURN_IF_ERROR(auth_.Check(caller, NeedsOfLease(lease, right, lease_keys_)));
  }
  return {};
}

WatchPass Gate::AdmitWatch(const Credentials& credentials, const KeyRange& range) const {
  if (!auth_.enabled()) return {};
  const Result<Caller> caller = auth_.Identify(credentials, Clock::now());
  if (!caller) return {.refusal = ReasonOf(caller.error())};
  const Status no = auth_.Check(*caller, {{Right::kRead, hooks_.authorized_range(range)}});
  if (!no.ok()) return {.refusal = ReasonOf(no)};
  return {.user = caller->user};
}

std::string Gate::JudgeWatch(const WatchSpec& spec) const {
  const Status no =
      auth_.CheckNow(spec.user, {{Right::kRead, hooks_.authorized_range(spec.range)}});
  return no.ok() ? std::string() : ReasonOf(no);
}

}  // namespace watchproof::store
