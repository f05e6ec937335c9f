// SPDX-License-Identifier: Apache-2.0
#include "harness/faults/fault_line.h"

#include <nlohmann/json.hpp>

namespace watchproof {

std::string FaultLineText(const std::string& name, std::string_view phase,
                          const FaultReceipt& receipt, bool acts) {
  nlohmann::ordered_json text{
      {"fault", name}, {"phase", phase}, {"fired", receipt.fired}, {"measured", receipt.measured}};
  const auto info = FindFault(name);
  const bool excuses = info && acts;
  text["ends_streams"] = Name(excuses ? info->ends_streams : EndsStreams::kNone);
  if (excuses && info->parts_members) text["parts_members"] = true;
  return text.dump();
}

}  // namespace watchproof
