// SPDX-License-Identifier: Apache-2.0
// Identifies the caller of a request and checks its rights: one line at the head of a handler.
//
//   WP_RETURN_IF_ERROR(gate.Admit(*context, put));
//
// A caller is identified by the token in the metadata of its call (`token`, or `authorization` as
// HTTP gateways send it) or else, where client certificates are required, by the common name of its
// certificate. With auth off everything is admitted at the price of one atomic read. A malformed
// request gets its own error, whatever its caller. Threads: any. Ownership: borrows users and
// hooks, which outlive it.
#pragma once

#include <grpcpp/grpcpp.h>

#include <string>
#include <vector>

#include "embedded_store/auth/auth_store.h"
#include "embedded_store/mvcc/hooks.h"
#include "embedded_store/mvcc/operations.h"
#include "embedded_store/mvcc/txn_check.h"
#include "embedded_store/watch/watch_hub.h"

namespace watchproof::store {

// Whether the common name of a verified client certificate is a user.
enum class CommonNames { kMeanNothing, kAreUsers };

// The user that a range may be watched for, or the refusal, in etcd's text for watches.
struct WatchPass {
  std::string user;
  std::string refusal;  // empty: admitted
};

class Gate {
 public:
  Gate(AuthStore& auth, const Hooks& hooks, LeaseKeys lease_keys, CommonNames names)
      : auth_(auth), hooks_(hooks), lease_keys_(std::move(lease_keys)), names_(names) {}

  using Context = grpc::ServerContextBase;

  // RangeQuery, PutOp, DeleteOp or TxnOp.
  template <typename Request>
  Status Admit(const Context& context, const Request& request) const {
    if (!auth_.enabled()) return {};
    WP_RETURN_IF_ERROR(CheckRequest(request));
    WP_ASSIGN_OR_RETURN(const Caller caller, CallerOf(context));
    return auth_.Check(caller, NeedsOf(request, lease_keys_));
  }

  // Any call that has a user.
  Status AdmitUser(const Context& context) const;
  // Users with the role root; other users only where they ask about themselves.
  Status AdmitRoot(const Context& context) const;
  Status AdmitRootOrUser(const Context& context, const std::string& user) const;
  Status AdmitRootOrHolder(const Context& context, const std::string& role) const;
  // Users with this right on every key of the leases.
  Status AdmitLeases(const Context& context, const std::vector<std::int64_t>& leases,
                     Right right) const;

  // For calls that check rights again and again on one stream.
  Credentials CredentialsOf(const Context& context) const;
  // Hub thread only, because of the hook.
  WatchPass AdmitWatch(const Credentials& credentials, const KeyRange& range) const;
  // The reason why a watch must end; empty when it may continue. Hub thread only.
  std::string JudgeWatch(const WatchSpec& spec) const;

 private:
  Result<Caller> CallerOf(const Context& context) const;

  AuthStore& auth_;
  const Hooks& hooks_;
  const LeaseKeys lease_keys_;
  const CommonNames names_;
};

}  // namespace watchproof::store
