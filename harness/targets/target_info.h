// SPDX-License-Identifier: Apache-2.0
// The kinds of targets and how they are named on the command line.
//
// Threads: constants.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/base/status.h"

namespace watchproof {

struct TargetKindInfo {
  std::string name;     // "etcd"
  std::string grammar;  // "etcd:PATH"
  std::string explain;
};
std::vector<TargetKindInfo> TargetKinds();

struct TargetSpec {
  std::string text;                  // as given
  std::string kind;                  // "embedded", "etcd"
  std::string path;                  // of the binary
  std::string version;               // of "etcd@3.5.16"
  std::vector<std::string> defects;  // of "embedded+A+B"
  std::string host;                  // of "endpoint:HOST:PORT", without the brackets of IPv6
  int port = 0;
  std::vector<std::string> command;  // words of "command:TEMPLATE", placeholders not filled in
  // Endpoints, as HOST:PORT, that may be disrupted although they are not ours. Not part of the
  // text; filled in by whoever was allowed to.
  std::vector<std::string> allow_disruptive = {};
};

struct ServerAddress {
  std::string host;
  int port = 0;
};
// Of a server that runs: "127.0.0.1:2379", "db.local:2379", "[::1]:2379"; never port 0. Errors name
// the text and what was expected.
Result<ServerAddress> ParseServerAddress(std::string_view text);
// Grammar only; whether the binary exists or a defect is known is found at the start. Errors name
// the text and the forms that are understood.
Result<TargetSpec> ParseTargetSpec(const std::string& text);

}  // namespace watchproof
