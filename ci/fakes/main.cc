// SPDX-License-Identifier: Apache-2.0
// dishonest_server: a correct store behind a relay that breaks one promise.
//
//   dishonest_server --behaviour drops-events --listen 127.0.0.1:2379 --data /tmp/d --log /tmp/log
//   dishonest_server --behaviour honest --listen 127.0.0.1:2379 --store 127.0.0.1:4001
//   dishonest_server --list
#include <absl/synchronization/mutex.h>
#include <fmt/format.h>
#include <signal.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "ci/fakes/behaviour.h"
#include "ci/fakes/relay.h"
#include "embedded_store/server/store_server.h"

namespace watchproof::fakes {
namespace {

struct Options {
  std::string behaviour = "honest";
  std::string listen = "127.0.0.1:2379";
  std::string store;
  std::string data;
  std::string log;
  Parameters parameters{};
  int code = static_cast<int>(grpc::StatusCode::UNIMPLEMENTED);
  bool in_memory = false;
  bool list = false;
};

int Complain(const std::string& message) {
  fmt::print(stderr, "dishonest_server: {}\n", message);
  return 2;
}

int List() {
  for (const RegisteredBehaviour& one : AllBehaviours()) {
    fmt::print("{}\n", nlohmann::json{{"name", one.info.name},
                                      {"explain", one.info.explain},
                                      {"guarantees", one.info.guarantees},
                                      {"only_noted", one.info.only_noted},
                                      {"rare", one.info.rare},
                                      {"parametrised", one.info.parametrised}}
                           .dump());
  }
  return 0;
}

// The store takes free ports; only the address for clients is fixed.
Result<std::unique_ptr<store::StoreServer>> StartStore(const Options& options) {
  const std::string host = options.listen.substr(0, options.listen.rfind(':'));
  store::StoreOptions chosen;
  chosen.host = host;
  chosen.port = 0;
  chosen.http_port = 0;
  if (!options.in_memory) chosen.data = options.data;
  chosen.progress_interval = 200ms;
  return store::StoreServer::Start(chosen);
}

int Serve(const Options& options, Behaviour& behaviour) {
  sigset_t ends;
  sigemptyset(&ends);
  sigaddset(&ends, SIGINT);
  sigaddset(&ends, SIGTERM);
  // Before the first thread, so that every thread inherits the mask.
  pthread_sigmask(SIG_BLOCK, &ends, nullptr);
  TamperLog log(options.log, options.behaviour, options.data);
  std::unique_ptr<store::StoreServer> store;
  if (options.store.empty()) {
    auto started = StartStore(options);
    if (!started.has_value()) return Complain(started.error().message());
    store = *std::move(started);
  }
  const auto relay =
      Relay::Start({.listen = options.listen, .store = store ? store->endpoint() : options.store},
                   behaviour, log);
  if (!relay.has_value()) return Complain(relay.error().message());
  fmt::print("serving on {}\n", options.listen);
  std::fflush(stdout);
  int number = 0;
  sigwait(&ends, &number);
  (*relay)->Stop();
  if (store) store->Stop();
  return 0;
}

int Main(int argc, char** argv) {
  CLI::App app("A correct etcd-compatible store behind a relay that breaks one promise.");
  Options options;
  app.add_option("--behaviour", options.behaviour, "How it is dishonest; see --list");
  app.add_option("--call", options.parameters.call, "Which call, as KV/Range; see --list");
  app.add_option("--code", options.code, "The number of a status of gRPC");
  app.add_option("--field", options.parameters.field, "Which field, as header.revision or version");
  app.add_option("--listen", options.listen, "HOST:PORT for clients");
  app.add_option("--store", options.store,
                 "HOST:PORT of a server to relay to instead of the built-in store");
  app.add_option("--data", options.data, "Folder of the built-in store; in memory when left out");
  app.add_flag("--in-memory", options.in_memory,
               "Keep no data in --data, which then only identifies the process in the log");
  app.add_option("--log", options.log, "File for one JSON line per broken message");
  app.add_flag("--list", options.list, "Print the behaviours, one JSON document per line");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error);
  }
  if (options.list) return List();
  const auto all = AllBehaviours();
  const auto chosen = std::find_if(
      all.begin(), all.end(), [&](const auto& one) { return one.info.name == options.behaviour; });
  if (chosen == all.end()) {
    return Complain(fmt::format("no behaviour '{}'; see --list", options.behaviour));
  }
  const std::unique_ptr<Behaviour> behaviour = chosen->make();
  options.parameters.code = static_cast<grpc::StatusCode>(options.code);
  behaviour->Configure(options.parameters);
  return Serve(options, *behaviour);
}

}  // namespace
}  // namespace watchproof::fakes

int main(int argc, char** argv) {
  absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
  return watchproof::fakes::Main(argc, argv);
}
