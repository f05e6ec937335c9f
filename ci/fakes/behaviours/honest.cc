// SPDX-License-Identifier: Apache-2.0
// The control: the relay itself changes nothing.
#include "ci/fakes/behaviour.h"

namespace watchproof::fakes {
namespace {

const BehaviourRegistration kHonest({.name = "honest",
                                     .explain = "Passes every message on unchanged.",
                                     .guarantees = {}},
                                    [] { return std::make_unique<Behaviour>(); });

}  // namespace
}  // namespace watchproof::fakes
