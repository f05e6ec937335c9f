// SPDX-License-Identifier: Apache-2.0
// joins-ended-watch: a gRPC proxy lets a watch join another one of its range that has ended with
// ErrCompacted, and nothing comes to it. Its created response names the start that it asked for.
#include "harness/signatures/signature.h"

namespace watchproof {

WP_SIGNATURE(JoinsEndedWatch, "joins-ended-watch") {
  const std::string& topology = one.facts.options.topology;
  if (!topology.empty() && topology != "grpc-proxy") return false;
  const auto* const notice = one.As<symptom::FalseNotice>();
  const bool silent = one.As<symptom::Silence>() || (notice != nullptr && !notice->by_reads);
  if (!silent && !one.draft.lost) return false;
  const WatchIndex watch = one.draft.lost ? one.draft.lost->watch : *one.watch;
  const Facts& facts = one.facts;
  if (!one.traces.of(watch).names_its_request || facts.state(watch).events > 0) return false;
  return std::ranges::any_of(facts.table.All(), [&](WatchIndex other) {
    return facts.state(other).end == WatchEnd::kCompacted &&
           facts.details(other).range == facts.details(watch).range;
  });
}

}  // namespace watchproof
