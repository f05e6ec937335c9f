// SPDX-License-Identifier: Apache-2.0
// Maintenance calls: defragments a server, raises and disarms its NOSPACE alarm.
//
//   MaintenanceClient maintenance("127.0.0.1:2379");
//   WP_RETURN_IF_ERROR(maintenance.Defragment());
//
// These calls are not recorded: they change no revision. Threads: any; a call blocks its caller.
#pragma once

#include <memory>
#include <string>

#include "harness/base/status.h"

namespace watchproof {

class MaintenanceClient {
 public:
  // Connects with the first call. Without a token the calls have no user.
  explicit MaintenanceClient(const std::string& endpoint, const std::string& token = {});
  ~MaintenanceClient();

  // Blocks: until it is done; the target may answer no other call meanwhile.
  Status Defragment();
  // NOSPACE, for every member.
  Status RaiseAlarm();
  Status LowerAlarm();

 private:
  class Impl;
  const std::unique_ptr<Impl> impl_;
};

}  // namespace watchproof
