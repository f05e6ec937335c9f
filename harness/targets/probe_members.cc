// SPDX-License-Identifier: Apache-2.0
#include "harness/targets/probe_members.h"

#include "fixtures/protos/rpc_cluster.grpc.pb.h"
#include "harness/targets/probe_call.h"

namespace watchproof {
namespace {

namespace pb = etcdserverpb;

template <typename Request, typename Response>
Status Change(const MemberCall& call, const Request& request,
              grpc::Status (pb::Cluster::Stub::*rpc)(grpc::ClientContext*, const Request&,
                                                     Response*)) {
  const auto done = Call(OwnChannel(call.endpoint), {call.token, call.deadline}, request, rpc);
  return done.has_value() ? Status() : done.error();
}

}  // namespace

Status RemoveMember(const MemberCall& call, std::uint64_t id) {
  pb::MemberRemoveRequest request;
  request.set_id(id);
  return Change(call, request, &pb::Cluster::Stub::MemberRemove)
      .WithContext("removing member {:x}", id);
}

Status AddMember(const MemberCall& call, const std::string& peer_url, bool learner) {
  pb::MemberAddRequest request;
  request.add_peerurls(peer_url);
  request.set_islearner(learner);
  return Change(call, request, &pb::Cluster::Stub::MemberAdd)
      .WithContext("adding member {}", peer_url);
}

Status PromoteMember(const MemberCall& call, std::uint64_t id) {
  pb::MemberPromoteRequest request;
  request.set_id(id);
  return Change(call, request, &pb::Cluster::Stub::MemberPromote)
      .WithContext("promoting member {:x}", id);
}

}  // namespace watchproof
