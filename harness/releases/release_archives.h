// SPDX-License-Identifier: Apache-2.0
// The three sources of release binaries, by the rows of the manifest. Nothing is installed.
//
//   WP_ASSIGN_OR_RETURN(const auto binary, TakeFromDebian(row, "3.5.16", work));
//
// A Debian package comes from the mirrors of the machine's own apt sources, through apt with
// separate lists and status file, so that the state of the system is untouched; it must be signed
// with Debian's archive keys. The archive that a project publishes comes through curl and tar of
// the machine, and is checked against the sums that are published with it. A Go module comes
// through the machine's go, with the registry and the sums that it is set up to use, and what is
// built from it must report the version that was asked for. All block for as long as downloads and
// builds take. Threads: any, one per work folder.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/status.h"

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

// A module in Go's registry. A program that calls `call` of `package` is the product; without
// `call`, that package is the program.
struct GoModule {
  std::string path;     // "go.etcd.io/etcd/server/v3"
  std::string family;   // what the paths of the modules begin with that share its version
  std::string package;  // "go.etcd.io/etcd/server/v3/etcdmain"
  std::string call{};   // "etcdmain.Main(os.Args)"
  std::string tags{};   // of the build: "nats"
  bool cgo = false;     // it needs a C compiler
  bool tool = false;  // used beside the others: it is no target, and has a command for its version
  bool silent = false;  // it does not report its version: what Go embeds in it counts
};

struct ReleaseSource {
  std::string product;  // "etcd"; also the name of the binary in the cache
  std::string version;  // "3.5.16"
  std::optional<DebianBinary> debian;
  std::optional<OfficialArchive> official;
  std::optional<GoModule> module;
};

// The unpacked file, somewhere in `work`. kNotFound: the suite has another version by now;
// kUnavailable and others: it could not be asked. The content is not checked.
Result<std::filesystem::path> TakeFromDebian(const DebianBinary& wanted, const std::string& version,
                                             const std::filesystem::path& work);
// "3.3.25" of "3.3.25+dfsg-6+b6", "3.5.0~rc1" of "1:3.5.0~rc1-2".
std::string UpstreamVersion(std::string package_version);

struct OfficialRequest {
  std::string version;
  std::string architecture;
};
// The unpacked file, somewhere in `work`. kDataLoss: the archive does not match its sums;
// kUnavailable and kNotFound: it could not be downloaded.
Result<std::filesystem::path> TakeFromOfficial(const OfficialArchive& archive,
                                               const OfficialRequest& request,
                                               const std::filesystem::path& work);
// "v{version}" with 3.5.16 is "v3.5.16".
std::string FillIn(std::string text, const OfficialRequest& request);

// The versions of a product, as Go's registry lists them, oldest first: "3.5.0", "3.8.0-alpha.0".
// It may serve others, too.
Result<std::vector<std::string>> VersionsOfModule(const GoModule& module,
                                                  const std::filesystem::path& work);
struct BuiltBinary {
  std::filesystem::path file;
  std::string built_from;  // toolchain, modules and their sums, as Go embeds them in it
};
// Builds the version, somewhere in `work`, with the toolchain that it wants. kDataLoss: what was
// built reports another version; kUnavailable: it could not be built.
Result<BuiltBinary> BuildFromModule(const GoModule& module, const std::string& version,
                                    const std::filesystem::path& work);

// 64 lower-case hexadecimal digits.
Result<std::string> Sha256OfFile(const std::filesystem::path& file);

}  // namespace watchproof
