// SPDX-License-Identifier: Apache-2.0
#include "harness/targets/probe_snapshot.h"

#include <fstream>

#include "fixtures/protos/rpc.grpc.pb.h"
#include "harness/targets/probe_call.h"

namespace watchproof {

Status SaveSnapshot(const MemberCall& call, const std::filesystem::path& file) {
  namespace pb = etcdserverpb;
  pb::Maintenance::Stub stub(OwnChannel(call.endpoint));
  grpc::ClientContext context;
  Caller{call.token, call.deadline}.Prepare(context);
  std::ofstream out(file, std::ios::binary);
  const auto reader = stub.Snapshot(&context, pb::SnapshotRequest());
  for (pb::SnapshotResponse part; reader->Read(&part);) out << part.blob();
  WP_RETURN_IF_ERROR(FromRpcStatus(reader->Finish()).WithContext("saving a snapshot"));
  if (out.flush()) return {};
  return Fail(StatusCode::kInternal, "{} cannot be written", file.string());
}

}  // namespace watchproof
