// SPDX-License-Identifier: Apache-2.0
#include "embedded_store/server/cluster_service.h"

#include "embedded_store/server/convert.h"
#include "embedded_store/server/finish.h"
#include "embedded_store/server/server_errors.h"

namespace watchproof::store {
namespace pb = etcdserverpb;
namespace {

Status OneMemberOnly() {
  return Status(StatusCode::kUnimplemented, "this store has one member, which cannot be changed");
}

}  // namespace

void ClusterService::SetClientUrl(std::string url) {
  MutexLock lock(mu_);
  client_url_ = std::move(url);
}

ClusterService::Reactor* ClusterService::Refuse(Context* context, std::uint64_t member,
                                                const Status& if_ours) {
  if (const Status no = gate_.AdmitRoot(*context); !no.ok()) return Finish(context, backend_, no);
  return Finish(context, backend_, member == kMemberId ? if_ours : ErrMemberNotFound());
}

ClusterService::Reactor* ClusterService::MemberList(Context* context, const pb::MemberListRequest*,
                                                    pb::MemberListResponse* response) {
  if (const Status no = gate_.AdmitUser(*context); !no.ok()) return Finish(context, backend_, no);
  FillHeader(store_.current(), response->mutable_header());
  pb::Member* member = response->add_members();
  member->set_id(kMemberId);
  member->set_name("watchproof");
  {
    MutexLock lock(mu_);
    member->add_clienturls(client_url_);
  }
  return Finish(context, backend_, Status());
}

ClusterService::Reactor* ClusterService::MemberAdd(Context* context, const pb::MemberAddRequest*,
                                                   pb::MemberAddResponse*) {
  return Refuse(context, kMemberId, OneMemberOnly());
}

ClusterService::Reactor* ClusterService::MemberRemove(Context* context,
                                                      const pb::MemberRemoveRequest* request,
                                                      pb::MemberRemoveResponse*) {
  return Refuse(context, request->id(), OneMemberOnly());
}

ClusterService::Reactor* ClusterService::MemberUpdate(Context* context,
                                                      const pb::MemberUpdateRequest* request,
                                                      pb::MemberUpdateResponse*) {
  return Refuse(context, request->id(), OneMemberOnly());
}

ClusterService::Reactor* ClusterService::MemberPromote(Context* context,
                                                       const pb::MemberPromoteRequest* request,
                                                       pb::MemberPromoteResponse*) {
  return Refuse(context, request->id(), ErrMemberNotLearner());
}

}  // namespace watchproof::store
