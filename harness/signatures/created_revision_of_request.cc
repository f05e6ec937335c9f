// SPDX-License-Identifier: Apache-2.0
// created-revision-of-request: a gRPC proxy that makes one watch of several names the start that
// was asked for in the created response, and not the revision of the store.
#include "harness/signatures/signature.h"

namespace watchproof {

WP_SIGNATURE(NamesItsRequest, "created-revision-of-request") {
  const auto* const ahead = one.As<symptom::HeaderAhead>();
  if (ahead == nullptr) return false;
  const auto& created = one.facts.details(*one.watch).created;
  return created && created->line == ahead->line && one.traces.of(*one.watch).names_its_request;
}

}  // namespace watchproof
