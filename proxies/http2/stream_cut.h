// SPDX-License-Identifier: Apache-2.0
// Effects that end one stream, or its whole connection, at an exact place.
//
//   const EffectRegistration kResetStream{{..., .make = [](const EffectSeed& seed) {
//     return MakeStreamCut(seed, {.trigger = ..., .how = How::kStream});
//   }}};
//
// Threads: the io thread only. Ownership: as Effect.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "proxies/http2/stream_effect.h"
#include "proxies/http2/trigger.h"

namespace watchproof::proxy {

struct CutOptions {
  enum class How { kStream, kConnection };

  TriggerSpec trigger;
  How how = How::kStream;
};

// Names of the codes of RST_STREAM and GOAWAY, as choices of a parameter, and their numbers.
ParameterInfo CodeParameter(std::string default_code);
std::uint32_t ReadCode(const ParameterValues& values);

// How often an effect acts in all, over all connections: for ConnectionTally::TriggeredAtMost.
ParameterInfo TimesParameter();
// The parameters of every cut, and then `more`.
std::vector<ParameterInfo> CutParameters(std::vector<ParameterInfo> more);
// `how`: stream or connection.
ParameterInfo HowParameter();
CutOptions::How ReadHow(const ParameterValues& values);

// Requires: the effect declares CutParameters.
std::unique_ptr<Effect> MakeStreamCut(const EffectSeed& seed, const CutOptions& options);

}  // namespace watchproof::proxy
