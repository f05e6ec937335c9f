// SPDX-License-Identifier: Apache-2.0
// Promises about calls that no guarantee of harness/checkers covers, judged from what a client
// asked and was answered, never from the store's state.
//
//   promises.Granted(7, end);   promises.Listed({7}, now);
//   promises.broken()
//
// Not thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "embedded_store/lease/lessor.h"
#include "embedded_store/mvcc/operations.h"
#include "harness/base/deadline.h"
#include "harness/base/status.h"
#include "harness/explore/verdict.h"

namespace watchproof::explore {

class Promises {
 public:
  // Leases. After a restart a lease has its full time again.
  void Granted(std::int64_t lease, std::chrono::seconds time, TimePoint now);
  // The grant was acknowledged.
  void Confirmed(std::int64_t lease);
  void RevokeAsked(std::int64_t lease);
  void Revoked(std::int64_t lease) { leases_.erase(lease); }
  void KeptAlive(std::int64_t lease, const Status& status, TimePoint now);
  void Restarted(TimePoint now);
  // At a quiet moment.
  void Listed(const std::vector<std::int64_t>& listed, TimePoint now);
  // The answer about one lease, and to a read of all keys.
  void Described(std::int64_t lease, const store::LeaseState& state,
                 const std::vector<store::KeyValue>& all, TimePoint now);

  // Reads and compactions: answered between floor and head, refused as out of range elsewhere.
  // Between the two floors a compaction may be under way.
  struct Bounds {
    std::int64_t floor = 0;        // of compactions that were acknowledged
    std::int64_t floor_asked = 0;  // of all that were asked for
    std::int64_t head = 0;
  };
  void Read(std::int64_t at, const Status& status, const Bounds& bounds);
  // The answer with and without the order, the bounds and the limit of the query.
  void Selected(const store::RangeQuery& query, const store::RangeAnswer& all,
                const store::RangeAnswer& answer);
  void Compacted(std::int64_t at, const Status& status, const Bounds& bounds);
  // A call that nothing in its request gives a reason to refuse.
  void Answered(const char* call, const Status& status);

  const std::vector<BrokenGuarantee>& broken() const { return broken_; }

 private:
  struct Lease {
    std::chrono::seconds time{};
    TimePoint end{};
    bool uncertain = true;  // a grant or a revocation was asked for and may not have been answered
  };
  void Add(std::string guarantee, std::string expected, std::string observed);

  std::map<std::int64_t, Lease> leases_;
  std::vector<BrokenGuarantee> broken_;
};

}  // namespace watchproof::explore
