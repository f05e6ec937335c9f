// SPDX-License-Identifier: Apache-2.0
// How often an attempt that was made again with its plan failed as before.
//
//   const Repeated again = CountRepeated(record, finding.guarantee);
//
// Threads: functions without state.
#pragma once

#include <string>

#include "harness/report/run_record.h"

namespace watchproof {

struct Repeated {
  int failed = 0;
  int alike = 0;  // of these, with a finding of the guarantee
  int passed = 0;
};
Repeated CountRepeated(const RunRecord& record, const std::string& guarantee);

}  // namespace watchproof
