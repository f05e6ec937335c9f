// SPDX-License-Identifier: Apache-2.0
// Effects, receipts and connections as JSON.
//
//   {"proxy": "front", "kind": "latency", "direction": "to-client", "chance": 0.5, "connection": 3,
//    "parameters": {"delay": "20ms"}}
//
// Threads: any.
#pragma once

#include "harness/base/status.h"
#include "proxies/control/json_fields.h"
#include "proxies/control/proxy_handle.h"

namespace watchproof::proxy {

// The kind and its parameters are judged when it is armed.
Result<EffectSpec> EffectFromJson(const Json& body);
Json ToJson(const EffectState& state);
Json ToJson(const EffectInfo& kind);
Json ToJson(const ConnectionInfo& connection);

}  // namespace watchproof::proxy
