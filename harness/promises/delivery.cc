// SPDX-License-Identifier: Apache-2.0
#include "harness/promises/probe.h"
#include "harness/promises/promise.h"

namespace watchproof {
namespace {

const PromiseRegistration kDelivery{{
    .name = "delivery",
    .text = "delivery to every open watch",
    .place = 300,
    .ask = [](Driver& driver, NewWatches&) { Probe(driver); },
}};

}  // namespace
}  // namespace watchproof
