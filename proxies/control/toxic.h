// SPDX-License-Identifier: Apache-2.0
// A Toxiproxy toxic, and the effect that implements it here.
//
//   WP_ASSIGN_OR_RETURN(Toxic toxic, ToxicFromJson(body));
//   registry.Arm(proxy, EffectOf(toxic));
//
// Types, attributes and their units are those of Toxiproxy 2. Unknown attributes are rejected,
// where Toxiproxy ignores them: a disturbance other than the requested one is worse than an error.
//
// Threads: values.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "harness/base/status.h"
#include "proxies/control/json_fields.h"
#include "proxies/control/proxy_handle.h"

namespace watchproof::proxy {

struct Toxic {
  std::string name;
  std::string type;
  std::string stream = "downstream";  // or upstream: what the client sends
  double toxicity = 1;
  std::map<std::string, std::int64_t> attributes;  // every one that the type has
  std::optional<EffectId> armed;                   // none while its proxy is disabled
};

Result<Toxic> ToxicFromJson(const Json& body);
// Changes toxicity and attributes as far as they are given; all or nothing.
Status UpdateToxic(Toxic& toxic, const Json& body);
Json ToJson(const Toxic& toxic);
EffectSpec EffectOf(const Toxic& toxic);

}  // namespace watchproof::proxy
