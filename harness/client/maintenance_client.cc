// SPDX-License-Identifier: Apache-2.0
#include "harness/client/maintenance_client.h"

#include "fixtures/protos/rpc.grpc.pb.h"
#include "harness/client/channel.h"

namespace watchproof {

namespace pb = etcdserverpb;

namespace {
constexpr Duration kMaintenanceLimit = 20s;
}  // namespace

class MaintenanceClient::Impl {
 public:
  Impl(const std::string& endpoint, std::string token)
      : stub_(pb::Maintenance::NewStub(MakeChannel(endpoint))), token_(std::move(token)) {}

  template <typename Request, typename Response>
  Status Call(const Request& request,
              grpc::Status (pb::Maintenance::Stub::*rpc)(grpc::ClientContext*, const Request&,
                                                         Response*)) {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + kMaintenanceLimit);
    context.set_wait_for_ready(true);
    if (!token_.empty()) context.AddMetadata("token", token_);
    Response response;
    return FromRpcStatus((*stub_.*rpc)(&context, request, &response));
  }
  Status Alarm(pb::AlarmRequest::AlarmAction action) {
    pb::AlarmRequest request;
    request.set_action(action);
    request.set_alarm(pb::NOSPACE);
    return Call(request, &pb::Maintenance::Stub::Alarm);
  }

 private:
  const std::unique_ptr<pb::Maintenance::Stub> stub_;
  const std::string token_;
};

MaintenanceClient::MaintenanceClient(const std::string& endpoint, const std::string& token)
    : impl_(std::make_unique<Impl>(endpoint, token)) {}
MaintenanceClient::~MaintenanceClient() = default;

Status MaintenanceClient::Defragment() {
  return impl_->Call(pb::DefragmentRequest(), &pb::Maintenance::Stub::Defragment);
}
Status MaintenanceClient::RaiseAlarm() { return impl_->Alarm(pb::AlarmRequest::ACTIVATE); }
Status MaintenanceClient::LowerAlarm() { return impl_->Alarm(pb::AlarmRequest::DEACTIVATE); }

}  // namespace watchproof
