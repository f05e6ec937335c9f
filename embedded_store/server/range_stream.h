// SPDX-License-Identifier: Apache-2.0
// etcd's RangeStream: a range in pieces, all of them as of one revision, so that neither side holds
// the whole of a large one.
//
//   return StreamRange(parts, admitted_query);
//
// Each piece is read when the one before it has left; a compaction meanwhile can therefore end the
// stream with ErrCompacted, as in etcd. Threads: gRPC's, and the backend's. Ownership: the call
// owns itself; it borrows the parts and is counted in their long_reads.
#pragma once

#include "embedded_store/server/services.h"
#include "fixtures/protos/rpc.pb.h"

namespace watchproof::store {

// Of an admitted query, or the refusal of it. Sorted and bounded queries are refused.
grpc::ServerWriteReactor<pb::RangeStreamResponse>* StreamRange(const ServiceParts& parts,
                                                               Result<RangeQuery> admitted);

}  // namespace watchproof::store
