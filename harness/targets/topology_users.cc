// SPDX-License-Identifier: Apache-2.0
// Authentication is on, and every client is the user root. Tokens are signed, so that all members
// accept them, and still do after a restart.
#include "harness/targets/probe_endpoint.h"
#include "harness/targets/topology.h"

namespace watchproof {
namespace {

class Users final : public Topology {
 public:
  Status Prepare(const ServerPlace& place, std::vector<std::string>& arguments) override {
    WP_RETURN_IF_ERROR(Topology::Prepare(place, arguments));
    // Every member must have the same key. It protects nothing.
    const std::filesystem::path key = place.data / "token.key";
    WP_RETURN_IF_ERROR(WriteFile(key, "the key of a store for one attempt"));
    arguments.insert(
        arguments.end(),
        {"--auth-token", fmt::format("jwt,sign-method=HS256,priv-key={}", key.string()),
         "--bcrypt-cost", "4"});
    return {};
  }
  Status Open(Deadline deadline) override {
    WP_ASSIGN_OR_RETURN(token_, TokenOfRoot(Direct(), deadline));
    return {};
  }
  std::string token() const override { return token_; }
  // Cases that bring users of their own need a store without any.
  void Correct(Stated& stated) const override { stated.Withhold(Capability::kUsers); }

 private:
  std::string token_;
};

const TopologyRegistration kUsers{
    {.name = "users",
     .form = "users",
     .explain = "authentication is enabled, and clients are the user root",
     .make = [] { return std::unique_ptr<Topology>(new Users); }}};

}  // namespace
}  // namespace watchproof
