// SPDX-License-Identifier: Apache-2.0
// Which server a fault acts on: the parameter "member", and the server with that number.
//
//   WP_ASSIGN_OR_RETURN(member_, ParseMember(given.at("member")));
//   WP_ASSIGN_OR_RETURN(ServerPorts* const server, ServerOf(ports, member_));
//
// Threads: values.
#pragma once

#include <string>

#include "harness/faults/fault.h"

namespace watchproof {

inline const FaultParameterInfo kMemberParameter{
    "member", "1", "which member of a cluster, from 1; the first one leads at the start"};

Result<int> ParseMember(const std::string& text);
// Errors name the member and how many there are.
Result<ServerPorts*> ServerOf(FaultPorts& ports, int member);

}  // namespace watchproof
