// SPDX-License-Identifier: Apache-2.0
// Which keys of a client report were attached to a lease when it was revoked.
//
//   const LeaseKeys leases(reports);
//   const auto keys = leases.DeletedBy(call);         // a call of the reports that revokes one
//
// Not thread-safe. Ownership: refers to the calls of the reports.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/import/client_report.h"

namespace watchproof {

class LeaseKeys {
 public:
  explicit LeaseKeys(const std::vector<ClientReport>& reports);

  // Empty if that is not certain: calls without an answer may have attached or detached keys.
  std::optional<std::vector<std::string>> DeletedBy(const ReportedCall& revoke) const;

 private:
  void Follow(const std::vector<const ReportedCall*>& answered);

  std::map<const ReportedCall*, std::vector<std::string>> revoked_;  // those that were answered
  std::map<std::int64_t, std::set<std::string>> ever_;               // by lease
  std::set<std::string> undecided_;  // keys of writes with an unknown outcome
};

}  // namespace watchproof
