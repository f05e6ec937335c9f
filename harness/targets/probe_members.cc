// SPDX-License-Identifier: Apache-2.0
#include "harness/targets/probe_members.h"

#include "fixtures/protos/rpc_cluster.grpc.pb.h"
#include "harness/targets/probe_call.h"

namespace watchproof {
namespace {

namespace pb = etcdserverpb;

template <typename Request, typename Response>
Result<MemberList> AskForList(const MemberCall& call, const Request& request,
                              grpc::Status (pb::Cluster::Stub::*rpc)(grpc::ClientContext*,
                                                                     const Request&, Response*)) {
  WP_ASSIGN_OR_RETURN(
      const Response answer,
      watchproof::Call(OwnChannel(call.endpoint), {call.token, call.deadline}, request, rpc));
  MemberList list;
  for (const pb::Member& member : answer.members()) {
    list.push_back({.id = member.id(),
                    .vote = member.islearner() ? Vote::kNone : Vote::kOne,
                    .peer_url = member.peerurls().empty() ? "" : member.peerurls(0)});
  }
  return list;
}

// What was asked for is part of the error.
Result<MemberList> During(Result<MemberList> done, const std::string& what) {
  if (done.has_value()) return done;
  return std::move(done.error()).WithContext("{}", what);
}

}  // namespace

Result<MemberList> RemoveMember(const MemberCall& call, std::uint64_t id) {
  pb::MemberRemoveRequest request;
  request.set_id(id);
  return During(AskForList(call, request, &pb::Cluster::Stub::MemberRemove),
                fmt::format("removing member {:x}", id));
}

Result<MemberList> AddMember(const MemberCall& call, const std::string& peer_url, Vote vote) {
  pb::MemberAddRequest request;
  request.add_peerurls(peer_url);
  request.set_islearner(vote == Vote::kNone);
  return During(AskForList(call, request, &pb::Cluster::Stub::MemberAdd),
                "adding member " + peer_url);
}

Result<MemberList> PromoteMember(const MemberCall& call, std::uint64_t id) {
  pb::MemberPromoteRequest request;
  request.set_id(id);
  return During(AskForList(call, request, &pb::Cluster::Stub::MemberPromote),
                fmt::format("promoting member {:x}", id));
}

}  // namespace watchproof
