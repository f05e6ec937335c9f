// SPDX-License-Identifier: Apache-2.0
// `store`: the embedded store as a program of its own.
#include <algorithm>

#include "embedded_store/defects/defect.h"
#include "embedded_store/server/api_version.h"
#include "embedded_store/server/store_server.h"
#include "harness/base/escape.h"
#include "harness/cli/commands.h"
#include "harness/runs/parse.h"
#include "harness/runs/signals.h"
#include "harness/runs/version.h"

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
  WP_ASSIGN_OR_RETURN(const Duration interval,
                      InContext("--progress-interval", ParseDuration(flags.progress_interval)));
  if (interval <= Duration::zero()) {
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
  options.progress_interval = std::chrono::duration_cast<std::chrono::milliseconds>(interval);
  options.auth.token_lifetime = std::chrono::seconds(flags.token_seconds);
  return options;
}

CommandEnd RestoreCommand(const StoreFlags& flags) {
  const std::string data = flags.options.data;
  if (data.empty()) {
    return Fail(StatusCode::kInvalidArgument, "--restore needs --data, the folder to create");
  }
  WP_RETURN_IF_ERROR(store::RestoreStore(flags.restore, data));
  fmt::print("{} was created from {}\n", Escaped(data), Escaped(flags.restore));
  return ExitCode::kOk;
}

Status CheckDefects(const std::vector<std::string>& defects) {
  std::vector<std::string> known;
  for (const store::DefectInfo& info : store::KnownDefects()) known.push_back(info.name);
  for (const std::string& name : defects) {
    if (!Contains(known, name)) {
      return Fail(StatusCode::kInvalidArgument, "no defect is called '{}'; known: {}{}", name,
                  fmt::join(known, ", "), DidYouMean(name, known));
    }
  }
  return {};
}

CommandEnd StoreCommand(const StoreFlags& flags) {
  Signals& signals = Signals::Install();
  WP_ASSIGN_OR_RETURN(const store::StoreOptions options, ResolveStore(flags));
  WP_RETURN_IF_ERROR(CheckDefects(options.defects));
  if (!flags.restore.empty()) return RestoreCommand(flags);
  const auto server = store::StoreServer::Start(options);
  if (!server.has_value()) {
    // Another program has the port; anything else is an address or a folder of no use.
    const bool taken = server.error().code() == StatusCode::kAlreadyExists;
    if (taken) return {server.error(), ExitCode::kTarget};
    return Fail(StatusCode::kInvalidArgument,
                "{}; expected an address of this machine, and a folder for --data",
                server.error().message());
  }
  Announce(
      fmt::format("serving on {}, http on {}", (*server)->endpoint(), (*server)->http_endpoint()));
  signals.Wait();
  (*server)->Stop();
  return ExitCode::kOk;
}

void AddTls(const Command& command, store::TlsFiles& tls) {
  command.Value("--cert-file", tls.cert_file, "FILE", "Serve TLS with this certificate");
  command.Value("--key-file", tls.key_file, "FILE", "Private key of --cert-file");
  command.Value("--trusted-ca-file", tls.trusted_ca_file, "FILE",
                "Serve only clients with a certificate signed by one of these authorities");
  command.Switch("--client-cert-auth", tls.client_cert_auth,
                 "Use the common name of a client's certificate as its user");
}

}  // namespace

CommandBody AddStore(const Command& command) {
  const auto flags = std::make_shared<StoreFlags>();
  store::StoreOptions& options = flags->options;
  command.Group("Addresses and data");
  command.Value("--listen", flags->listen, "HOST:PORT", "Address of etcd's API, for clients");
  command.Value("--http", flags->http, "HOST:PORT",
                "Address of /health, /version and /metrics (default: the same host, any port that "
                "is free)");
  command.Value("--data", options.data, "FOLDER",
                "Keep the data in this folder, and answer writes once they are synced (default: in "
                "memory)");
  command.Value("--restore", flags->restore, "FILE",
                "Create the folder of --data from this snapshot, and exit");
  command.Group("What it does");
  command.Repeatable("--defect", options.defects, "DEFECT", "Defect to switch on");
  command.Value("--etcd-version", options.etcd_version, "VERSION",
                "The etcd that it passes for: clients choose by this version what they use");
  command.Switch(
      "--lease-checkpoints", options.lease_checkpoints,
      "With --data: after a restart leases keep their remaining time, to within 5 s, instead "
      "of starting again");
  command.Value("--progress-interval", flags->progress_interval, "TIME",
                "How often a quiet watch with progress_notify receives its progress");
  command.Switch("--strict-prev-kv", options.strict_previous,
                 "End a watch rather than leave out a previous value that is compacted");
  command.Value("--quota-backend-bytes", options.quota_bytes, "BYTES",
                "Reject writes above this size; 0 for 2 GiB, -1 for no limit");
  command
      .Value("--auth-token-ttl", flags->token_seconds, "SECONDS",
             "How long an unused login token is valid")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command
      .Value("--password-cost", options.auth.password_price.log2, "LOG2",
             "What a password costs, as a power of two: 14 takes 16 MiB and 50 ms")
      ->check(CLI::Range(4, 16))
      ->capture_default_str();
  command.Group("TLS");
  AddTls(command, options.tls);
  return [flags] { return StoreCommand(*flags); };
}

}  // namespace watchproof
