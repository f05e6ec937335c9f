// SPDX-License-Identifier: Apache-2.0
#include "embedded_store/server/maintenance_service.h"

#include "embedded_store/server/convert.h"
#include "embedded_store/server/finish.h"
#include "embedded_store/server/server_errors.h"

namespace watchproof::store {
namespace pb = etcdserverpb;
namespace {

using AlarmRow = watchproof::store::Alarm;

void ToWire(const AlarmRow& alarm, pb::AlarmMember* wire) {
  wire->set_memberid(alarm.member);
  wire->set_alarm(static_cast<pb::AlarmType>(alarm.kind));
}

// What etcd's clients show of an alarm.
std::string Text(const AlarmRow& alarm) {
  pb::AlarmMember wire;
  ToWire(alarm, &wire);
  return fmt::format("memberID:{} alarm:{} ", wire.memberid(), pb::AlarmType_Name(wire.alarm()));
}

std::vector<AlarmRow> Act(const pb::AlarmRequest& request, Alarms& alarms) {
  const AlarmRow alarm{.kind = static_cast<AlarmKind>(request.alarm()),
                       .member = request.memberid()};
  switch (request.action()) {
    case pb::AlarmRequest::ACTIVATE:
      return alarms.Activate(alarm);
    case pb::AlarmRequest::DEACTIVATE:
      return alarms.Deactivate(alarm);
    default:
      return alarms.Active(alarm.kind);
  }
}

}  // namespace

grpc::ServerUnaryReactor* MaintenanceService::Alarm(grpc::CallbackServerContext* context,
                                                    const pb::AlarmRequest* request,
                                                    pb::AlarmResponse* response) {
  const bool asks = request->action() == pb::AlarmRequest::GET;
  const auto no = asks ? gate_.AdmitUser(*context) : gate_.AdmitRoot(*context);
  if (!no.ok()) return Finish(context, backend_, no);
  if (!pb::AlarmRequest::AlarmAction_IsValid(request->action()) ||
      !pb::AlarmType_IsValid(request->alarm())) {
    return Finish(context, backend_, Fail(StatusCode::kInvalidArgument, "no such alarm or action"));
  }
  for (const AlarmRow& alarm : Act(*request, alarms_)) ToWire(alarm, response->add_alarms());
  FillHeader(store_.current(), response->mutable_header());
  return Finish(context, backend_, watchproof::Status());
}

grpc::ServerUnaryReactor* MaintenanceService::Status(grpc::CallbackServerContext* context,
                                                     const pb::StatusRequest*,
                                                     pb::StatusResponse* response) {
  if (const auto no = gate_.AdmitRoot(*context); !no.ok()) return Finish(context, backend_, no);
  const Revision current = store_.current();
  FillHeader(current, response->mutable_header());
  response->set_version(version_);
  // One member, which leads itself; its log is as long as its history.
  response->set_leader(response->header().member_id());
  response->set_raftterm(response->header().raft_term());
  response->set_raftindex(static_cast<std::uint64_t>(current.value));
  response->set_raftappliedindex(static_cast<std::uint64_t>(current.value));
  const BackendSizes sizes = store_.sizes();
  response->set_dbsize(sizes.total.value);
  response->set_dbsizeinuse(sizes.in_use.value);
  for (const AlarmRow& alarm : alarms_.Active(AlarmKind::kAny)) response->add_errors(Text(alarm));
  return Finish(context, backend_, watchproof::Status());
}

grpc::ServerUnaryReactor* MaintenanceService::MoveLeader(grpc::CallbackServerContext* context,
                                                         const pb::MoveLeaderRequest* request,
                                                         pb::MoveLeaderResponse* response) {
  if (const auto no = gate_.AdmitRoot(*context); !no.ok()) return Finish(context, backend_, no);
  if (request->targetid() != kMemberId) return Finish(context, backend_, ErrBadLeaderTransferee());
  FillHeader(store_.current(), response->mutable_header());
  return Finish(context, backend_, watchproof::Status());
}

grpc::ServerUnaryReactor* MaintenanceService::Downgrade(grpc::CallbackServerContext* context,
                                                        const pb::DowngradeRequest* request,
                                                        pb::DowngradeResponse*) {
  if (const auto no = gate_.AdmitRoot(*context); !no.ok()) return Finish(context, backend_, no);
  if (request->action() == pb::DowngradeRequest::CANCEL) {
    return Finish(context, backend_, ErrNoDowngradeInFlight());
  }
  return Finish(context, backend_, ErrInvalidDowngradeTarget());
}

grpc::ServerUnaryReactor* MaintenanceService::Defragment(grpc::CallbackServerContext* context,
                                                         const pb::DefragmentRequest*,
                                                         pb::DefragmentResponse* response) {
  if (const auto no = gate_.AdmitRoot(*context); !no.ok()) return Finish(context, backend_, no);
  return data_.Defragment(context, response);
}

grpc::ServerUnaryReactor* MaintenanceService::Hash(grpc::CallbackServerContext* context,
                                                   const pb::HashRequest*,
                                                   pb::HashResponse* response) {
  if (const auto no = gate_.AdmitRoot(*context); !no.ok()) return Finish(context, backend_, no);
  return data_.Hash(context, response);
}

grpc::ServerUnaryReactor* MaintenanceService::HashKV(grpc::CallbackServerContext* context,
                                                     const pb::HashKVRequest* request,
                                                     pb::HashKVResponse* response) {
  if (const auto no = gate_.AdmitRoot(*context); !no.ok()) return Finish(context, backend_, no);
  return data_.HashKv(context, *request, response);
}

grpc::ServerWriteReactor<pb::SnapshotResponse>* MaintenanceService::Snapshot(
    grpc::CallbackServerContext* context, const pb::SnapshotRequest*) {
  return data_.Snapshot(gate_.AdmitRoot(*context));
}

}  // namespace watchproof::store
