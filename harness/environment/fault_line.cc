// SPDX-License-Identifier: Apache-2.0
#include "harness/environment/fault_line.h"

#include "harness/history/annotation.h"

namespace watchproof {

std::string FaultLineText(const std::string& name, std::string_view phase,
                          const FaultReceipt& receipt, bool acts) {
  const auto info = FindFault(name);
  const bool excuses = info && acts;
  return ToText(FaultReported{
      .fault = name,
      .phase = std::string(phase),
      .fired = receipt.fired,
      .measured = receipt.measured,
      .ends_streams = std::string(Name(excuses ? info->ends_streams : EndsStreams::kNone)),
      .parts_members = excuses && info->parts_members});
}

}  // namespace watchproof
