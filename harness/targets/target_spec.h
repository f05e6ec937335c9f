// SPDX-License-Identifier: Apache-2.0
// A target as the command line names it, and the kinds of targets.
//
//   WP_ASSIGN_OR_RETURN(const TargetSpec spec, ParseTargetSpec("etcd@3.5.16"));
//   spec.Label(version);   MakeTarget(spec);   // harness/targets/target.h
//
// A text is parsed once, where it arrives; from there on the spec is handed through. Only the file
// of its kind knows the grammar: all others read the fields below, which mean the same for every
// kind. Threads: values.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/status.h"

namespace watchproof {

class Target;

struct TargetKindInfo {
  std::string name;     // "etcd"
  std::string grammar;  // "etcd:PATH"
  std::string explain;
};
// All kinds, by name.
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

struct ServerAddress {
  std::string host;  // without the brackets of IPv6
  int port = 0;
  std::optional<bool> tls = {};  // by "http://" or "https://"; without them, ServerAccess decides
};
// The address of a server that runs: "127.0.0.1:2379", "db.local:2379", "[::1]:2379",
// "https://db.local:2379"; never port 0. Errors name the text and what was expected.
Result<ServerAddress> ParseServerAddress(std::string_view text);

struct NextRelease {
  std::string release;
  bool older = false;  // by a minor version than the one before: a downgrade
};

struct TargetSpec {
  std::string text;           // as given, and as results name the target
  std::string product = {};   // as the manifest lists its releases: "etcd", "kine"
  std::string name = {};      // before the version in its label; empty: the text says everything
  std::string label = {};     // while no version is known; empty: the text
  std::string release = {};   // of the product, to be taken from the cache
  std::string program = {};   // that it starts, by its path or its name in PATH; see `release`
  std::string topology = {};  // how it is set up and reached, where not plainly: "tls", "nats"
  std::string profile = {};   // a shipped one, of how its product differs from etcd; empty: none
  int members = 1;            // that it has at least, where it can be a cluster
  // What its members become during an attempt, one release after the other; none: they stay.
  std::vector<NextRelease> next = {};
  std::string consumer = {};              // follows the target's keys: that of "CONSUMER on TARGET"
  std::vector<std::string> defects = {};  // planted in it
  bool ours = false;                      // the embedded store
  std::optional<ServerAddress> server = {};  // it is already running there, and not ours to stop
  std::function<Result<std::unique_ptr<Target>>(const TargetSpec&)> make = {};
  // Not part of the text: from the flags for running servers.
  ServerAccess access = {};
  std::vector<std::string> allow_disruptive = {};  // those that may be compacted, as HOST:PORT

  // "etcd 3.4.23", "etcd 3.7.3,tls", "embedded"; `version` is what the target reports.
  std::string Label(std::string_view version = {}) const;
  // Whether one of the addresses, as HOST:PORT, is that of this running server.
  bool IsAmong(const std::vector<std::string>& addresses) const;
};

// "CONSUMER on TARGET" is the target with a consumer, a column of its own. Grammar only: whether
// the binary exists, or a defect is known, is found at the start. Errors name the text and the
// forms that are understood.
Result<TargetSpec> ParseTargetSpec(const std::string& text);
// The columns of a consumer on a target, and of the target alone.
TargetSpec WithConsumer(const TargetSpec& target, const std::string& consumer);
TargetSpec WithoutConsumer(const TargetSpec& target);
// The release of a product, as a target.
Result<TargetSpec> ReleaseSpec(const std::string& product, const std::string& version);

struct TargetKind {
  TargetKindInfo info;
  // Fills in the spec from the text after the kind's name, ":PATH" of "etcd:PATH". Its text is set.
  Status (*parse)(std::string_view rest, TargetSpec& spec);
};
struct TargetRegistration {
  explicit TargetRegistration(TargetKind kind);
};
// The error for a text that fits no grammar.
Status NotUnderstood(const TargetSpec& spec, std::string_view why = "is not understood");

}  // namespace watchproof
