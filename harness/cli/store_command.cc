// SPDX-License-Identifier: Apache-2.0
// `store`: the embedded store as a program of its own.
#include <algorithm>
#include <cstdio>

#include "embedded_store/defects/defect.h"
#include "embedded_store/server/api_version.h"
#include "embedded_store/server/store_server.h"
#include "harness/base/escape.h"
#include "harness/cli/commands.h"
#include "harness/cli/parse.h"
#include "harness/cli/signals.h"
#include "harness/cli/version.h"

namespace watchproof {
namespace {

struct StoreFlags {
  std::string listen = "127.0.0.1:2379";
  std::string http;     // empty: the same host, any port that is free
  std::string restore;  // a snapshot to make the folder of, instead of serving
  std::string progress_interval = "10m";
  std::int64_t token_seconds = 300;
  store::StoreOptions options;  // the flags that need no parsing are bound directly
};

Result<store::StoreOptions> ResolveStore(const StoreFlags& flags) {
  WP_ASSIGN_OR_RETURN(const HostPort listen, ParseHostPort(flags.listen));
  HostPort http{.host = listen.host, .port = 0};
  if (!flags.http.empty()) {
    WP_ASSIGN_OR_RETURN(http, ParseHostPort(flags.http));
    if (http.host != listen.host) {
      return Fail(StatusCode::kInvalidArgument, "--http must be on the host of --listen, {}",
                  listen.host);
    }
  }
  auto interval = ParseDuration(flags.progress_interval);
  if (!interval.has_value()) return interval.error().WithContext("--progress-interval");
  if (*interval <= Duration::zero()) {
    return Fail(StatusCode::kInvalidArgument, "--progress-interval {}: expected more than 0s",
                flags.progress_interval);
  }
  if (const auto version = store::ParseEtcdVersion(flags.options.etcd_version); !version) {
    return version.error().WithContext("--etcd-version");
  }
  store::StoreOptions options = flags.options;
  options.version = Versions().at("watchproof");
  options.host = listen.host;
  options.port = listen.port;
  options.http_port = http.port;
  options.progress_interval = std::chrono::duration_cast<std::chrono::milliseconds>(*interval);
  options.auth.token_lifetime = std::chrono::seconds(flags.token_seconds);
  return options;
}

ExitCode RestoreCommand(const StoreFlags& flags) {
  const std::string data = flags.options.data;
  if (data.empty()) return Complain("store", "--restore needs --data, the folder to create");
  if (Status made = store::RestoreStore(flags.restore, data); !made.ok()) {
    return Complain("store", made.message());
  }
  fmt::print("{} was created from {}\n", Escaped(data), Escaped(flags.restore));
  return ExitCode::kOk;
}

Status CheckDefects(const std::vector<std::string>& defects) {
  std::vector<std::string> known;
  for (const store::DefectInfo& info : store::KnownDefects()) known.push_back(info.name);
  for (const std::string& name : defects) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      return Fail(StatusCode::kInvalidArgument, "no defect is called '{}'; known: {}{}", name,
                  fmt::join(known, ", "), DidYouMean(name, known));
    }
  }
  return {};
}

ExitCode StoreCommand(const StoreFlags& flags) {
  Signals& signals = Signals::Install();
  const Result<store::StoreOptions> options = ResolveStore(flags);
  if (!options.has_value()) return Complain("store", options.error().message());
  if (Status known = CheckDefects(flags.options.defects); !known.ok()) {
    return Complain("store", known.message());
  }
  if (!flags.restore.empty()) return RestoreCommand(flags);
  const auto server = store::StoreServer::Start(*options);
  if (!server.has_value()) {
    return Complain("store", server.error().message(), ExitCode::kTarget);
  }
  Announce(
      fmt::format("serving on {}, http on {}", (*server)->endpoint(), (*server)->http_endpoint()));
  signals.Wait();
  (*server)->Stop();
  return ExitCode::kOk;
}

void AddTls(CLI::App& command, store::TlsFiles& tls) {
  command.add_option("--cert-file", tls.cert_file, "Serve TLS with this certificate")
      ->type_name("FILE");
  command.add_option("--key-file", tls.key_file, "Private key of --cert-file")->type_name("FILE");
  command
      .add_option("--trusted-ca-file", tls.trusted_ca_file,
                  "Serve only clients with a certificate signed by one of these authorities")
      ->type_name("FILE");
  command.add_flag("--client-cert-auth", tls.client_cert_auth,
                   "Use the common name of a client's certificate as its user");
}

}  // namespace

CommandBody AddStore(CLI::App& command) {
  const auto flags = std::make_shared<StoreFlags>();
  store::StoreOptions& options = flags->options;
  command.add_option("--listen", flags->listen, "Address of etcd's API, for clients")
      ->type_name("HOST:PORT")
      ->capture_default_str();
  command
      .add_option("--http", flags->http,
                  "Address of /health, /version and /metrics (default: the same host, any port "
                  "that is free)")
      ->type_name("HOST:PORT");
  command
      .add_option("--etcd-version", options.etcd_version,
                  "The etcd that it passes for: clients choose by this version what they use")
      ->type_name("VERSION")
      ->capture_default_str();
  command
      .add_option("--data", options.data,
                  "Keep the data in this folder, and answer writes once they are synced "
                  "(default: in memory)")
      ->type_name("FOLDER");
  command
      .add_option("--restore", flags->restore,
                  "Create the folder of --data from this snapshot, and exit")
      ->type_name("FILE");
  command.add_flag(
      "--lease-checkpoints", options.lease_checkpoints,
      "With --data: after a restart leases keep their remaining time, to within 5 s, instead "
      "of starting again");
  command
      .add_option("--progress-interval", flags->progress_interval,
                  "How often a quiet watch with progress_notify receives its progress")
      ->type_name("TIME")
      ->capture_default_str();
  command.add_flag("--strict-prev-kv", options.strict_previous,
                   "End a watch rather than leave out a previous value that is compacted");
  command.add_option("--defect", options.defects, "Defect to switch on (repeatable)")
      ->type_name("DEFECT")
      ->allow_extra_args(false);
  command
      .add_option("--quota-backend-bytes", options.quota_bytes,
                  "Reject writes above this size; 0 for 2 GiB, -1 for no limit")
      ->type_name("BYTES");
  command
      .add_option("--auth-token-ttl", flags->token_seconds,
                  "How long an unused login token is valid")
      ->type_name("SECONDS")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  AddTls(command, options.tls);
  return [flags] { return StoreCommand(*flags); };
}

}  // namespace watchproof
