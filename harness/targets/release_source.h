// SPDX-License-Identifier: Apache-2.0
// Where the binary of one release comes from, from its row of the manifest.
//
// Threads: values.
#pragma once

#include <optional>
#include <string>

namespace watchproof {

// A package of a Debian suite, as it was seen when the row was written; suites move on.
struct DebianBinary {
  std::string suite;         // "trixie"
  std::string package;       // "etcd-server"
  std::string seen;          // version of the package: "3.5.16-4"
  std::string architecture;  // as Debian calls it: "amd64"
  std::string path;          // of the binary inside the package: "usr/bin/etcd"
  std::string sha256;        // of the binary: 64 hexadecimal digits
};

// What the project itself publishes; {version} and {architecture} are filled in.
struct OfficialArchive {
  std::string url;   // of a .tar.gz
  std::string sums;  // URL of its SHA256SUMS
  std::string path;  // of the binary inside the archive
};

// A module in Go's registry. A program that calls `call` of `package` is the product.
struct GoModule {
  std::string path;     // "go.etcd.io/etcd/server/v3"
  std::string family;   // what the paths of the modules begin with that share its version
  std::string package;  // "go.etcd.io/etcd/server/v3/etcdmain"
  std::string call;     // "etcdmain.Main(os.Args)"
};

struct ReleaseSource {
  std::string product;  // "etcd"; also the name of the binary in the cache
  std::string version;  // "3.5.16"
  std::optional<DebianBinary> debian;
  std::optional<OfficialArchive> official;
  std::optional<GoModule> module;
};

}  // namespace watchproof
