// SPDX-License-Identifier: Apache-2.0
// The kinds of targets and how they are named on the command line.
//
// Threads: constants.
#pragma once

#include <optional>
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

// How to reach running servers, the same for all of them. Files are given by their path: no
// password and no key is ever held or recorded here.
struct ServerAccess {
  std::string ca;           // authorities in PEM form; empty: those of this machine
  std::string certificate;  // of the client, with its key
  std::string key;
  std::string user;
  std::string password_file;
};

struct TargetSpec {
  std::string text;                  // as given
  std::string kind;                  // "embedded", "etcd"
  std::string path;                  // of the binary
  std::string version;               // of "etcd@3.5.16"
  std::vector<std::string> defects;  // of "embedded+A+B"
  std::string host;                  // of "endpoint:HOST:PORT", without the brackets of IPv6
  int port = 0;
  std::vector<std::string> command;  // words of "command:TEMPLATE", placeholders not filled in
  std::optional<bool> tls = {};      // from its URL; without one, ServerAccess decides
  ServerAccess access = {};          // not part of the text, either
  // Running servers, as HOST:PORT, that may be compacted. Not part of the text; filled in from
  // --allow-disruptive.
  std::vector<std::string> allow_disruptive = {};
};

struct ServerAddress {
  std::string host;
  int port = 0;
  std::optional<bool> tls = {};  // by "http://" or "https://", if there is one
};
// Of a server that runs: "127.0.0.1:2379", "db.local:2379", "[::1]:2379", "https://db.local:2379";
// never port 0. Errors name the text and what was expected.
Result<ServerAddress> ParseServerAddress(std::string_view text);
// Grammar only; whether the binary exists or a defect is known is found at the start. Errors name
// the text and the forms that are understood.
Result<TargetSpec> ParseTargetSpec(const std::string& text);

}  // namespace watchproof
