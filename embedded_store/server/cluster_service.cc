// SPDX-License-Identifier: Apache-2.0
// etcd's Cluster service, for one member that cannot be changed.
#include "embedded_store/mvcc/errors.h"
#include "embedded_store/server/services.h"
#include "fixtures/protos/rpc_cluster.grpc.pb.h"

namespace watchproof::store {
namespace {

Status OneMemberOnly() {
  return Status(StatusCode::kUnimplemented, "this store has one member, which cannot be changed");
}

class ClusterService final : public pb::Cluster::CallbackService {
 public:
  explicit ClusterService(ServiceParts& parts) : parts_(parts) {}

  Reactor* MemberList(Context* context, const pb::MemberListRequest*,
                      pb::MemberListResponse* response) override {
    return Unary(context, parts_.backend, [&]() -> Status {
      WP_RETURN_IF_ERROR(parts_.gate.AdmitUser(*context));
      FillHeader(parts_.store.current(), response->mutable_header());
      pb::Member* member = response->add_members();
      member->set_id(kMemberId);
      member->set_name("watchproof");
      member->add_clienturls(parts_.client_url());
      return {};
    });
  }
  // The others are refused: with etcd's error for a member that is not there, else as not
  // implemented.
  Reactor* MemberAdd(Context* context, const pb::MemberAddRequest*,
                     pb::MemberAddResponse*) override {
    return Refuse(context, kMemberId, OneMemberOnly());
  }
  Reactor* MemberRemove(Context* context, const pb::MemberRemoveRequest* request,
                        pb::MemberRemoveResponse*) override {
    return Refuse(context, request->id(), OneMemberOnly());
  }
  Reactor* MemberUpdate(Context* context, const pb::MemberUpdateRequest* request,
                        pb::MemberUpdateResponse*) override {
    return Refuse(context, request->id(), OneMemberOnly());
  }
  Reactor* MemberPromote(Context* context, const pb::MemberPromoteRequest* request,
                         pb::MemberPromoteResponse*) override {
    return Refuse(context, request->id(), ErrMemberNotLearner());
  }

 private:
  // What becomes of a call that would change this member.
  Reactor* Refuse(Context* context, std::uint64_t member, const Status& if_ours) {
    return Unary(context, parts_.backend, [&]() -> Status {
      WP_RETURN_IF_ERROR(parts_.gate.AdmitRoot(*context));
      return member == kMemberId ? if_ours : ErrMemberNotFound();
    });
  }

  ServiceParts& parts_;
};

}  // namespace

std::unique_ptr<grpc::Service> MakeClusterService(ServiceParts& parts) {
  return std::make_unique<ClusterService>(parts);
}

}  // namespace watchproof::store
