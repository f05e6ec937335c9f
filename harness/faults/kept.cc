// SPDX-License-Identifier: Apache-2.0
#include "harness/faults/kept.h"

namespace watchproof {

using proxy::ParameterInfo;
using proxy::ParameterKind;

std::vector<ParameterInfo> KeptParameters() {
  return {{.name = "keep",
           .kind = ParameterKind::kNumber,
           .default_value = "0",
           .explain = "What percentage of the unsynced is kept all the same, in pages drawn from "
                      "`draw`: a disk may write in an order of its own.",
           .most = 100},
          {.name = "torn",
           .kind = ParameterKind::kYesNo,
           .default_value = "no",
           .explain = "Whether all is kept but the last write, and of that one some sectors of "
                      "512 bytes only."},
          {.name = "draw",
           .kind = ParameterKind::kNumber,
           .default_value = "1",
           .explain = "From what the parts that are kept are drawn."}};
}

proxy::Kept KeptIn(const proxy::ParameterValues& given) {
  return {.chance = static_cast<double>(given.number("keep")) / 100,
          .torn = given.yes("torn"),
          .seed = static_cast<std::uint64_t>(given.number("draw"))};
}

std::vector<ParameterInfo> With(std::vector<ParameterInfo> first,
                                const std::vector<ParameterInfo>& others) {
  first.insert(first.end(), others.begin(), others.end());
  return first;
}

}  // namespace watchproof
