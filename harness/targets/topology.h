// SPDX-License-Identifier: Apache-2.0
// How an etcd server is set up and reached, where not as one plain server that clients dial: as
// "etcd@3.7.3,tls" names it after the comma. Each is a column of its own in the matrix.
//
//   WP_RETURN_IF_ERROR(TakeTopology(text, spec));     // when a spec is parsed
//   const auto topology = MakeTopology(spec);         // one per server, also for a plain one
//   WP_RETURN_IF_ERROR(topology->Prepare(place, arguments));
//   ... the server starts, and answers at topology->Direct() ...
//   WP_RETURN_IF_ERROR(topology->Open(Within(10s)));
//   topology->front();                                // where its clients arrive
//
// One file each (topology_<name>.cc), which registers itself. Not thread-safe. Ownership: owns the
// processes beside the server; the destructor stops them.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/targets/target.h"

namespace watchproof {

// Where one server is.
struct ServerPlace {
  std::string binary;
  std::string host;              // its loopback address
  int port = 0;                  // where it serves clients
  std::filesystem::path data;    // for files, removed with the data of the server
  std::filesystem::path folder;  // for logs
  std::string name;              // of the member; empty: a single server
  bool certificates = false;     // see ClusterPlan
};

class Topology {
 public:
  virtual ~Topology() = default;
  // Before the server starts: adds to its arguments. The folder of its data is there.
  virtual Status Prepare(const ServerPlace& place, std::vector<std::string>& /*arguments*/) {
    place_ = place;
    return {};
  }
  // Whether the server uses TLS towards its clients, so that its metrics need another port.
  virtual bool secure() const { return false; }
  // Where calls reach the server itself. After Prepare.
  virtual Endpoint Direct() const { return {place_.host, place_.port}; }
  // When the server answers.
  virtual Status Open(Deadline /*deadline*/) { return {}; }
  // Where clients reach it. After Open.
  virtual Endpoint front() const { return Direct(); }
  // See Target.
  virtual Result<Endpoint> EndpointOf(const std::string& user);
  // Likewise. After Open.
  virtual std::string token() const { return {}; }
  virtual std::optional<ExitState> died() const { return std::nullopt; }
  virtual std::string LastWords() const { return {}; }
  // What clients are offered, when not what the server offers.
  virtual void Correct(Stated& /*stated*/) const {}
  // Idempotent.
  virtual void Stop() {}

 protected:
  const ServerPlace& place() const { return place_; }

 private:
  ServerPlace place_;
};

// For topologies without a value.
bool NothingElse(std::string_view rest, TargetSpec& spec);

struct TopologyKind {
  std::string name;     // "tls"
  std::string form;     // "members=N"
  std::string explain;  // one sentence
  std::unique_ptr<Topology> (*make)();
  // Fills in the spec from the text after the name, "=3". Its topology is set.
  bool (*parse)(std::string_view rest, TargetSpec& spec) = NothingElse;
};
struct TopologyRegistration {
  explicit TopologyRegistration(TopologyKind kind);
};
// By name.
std::vector<TopologyKind> Topologies();

// Takes ",tls" off the end of `text`, into the spec. Errors name what was expected.
Status TakeTopology(std::string_view& text, TargetSpec& spec);
std::unique_ptr<Topology> MakeTopology(const TargetSpec& spec);

// A file that a server is started with. The error names it.
Status WriteFile(const std::filesystem::path& file, const std::string& text);

}  // namespace watchproof
