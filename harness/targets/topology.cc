// SPDX-License-Identifier: Apache-2.0
#include "harness/targets/topology.h"

#include <algorithm>
#include <fstream>

namespace watchproof {
namespace {

std::vector<TopologyKind>& Kinds() {
  static std::vector<TopologyKind> kinds;
  return kinds;
}

const TopologyKind* Find(std::string_view topology) {
  const std::string_view name = topology.substr(0, topology.find('='));
  for (const TopologyKind& kind : Kinds()) {
    if (kind.name == name) return &kind;
  }
  return nullptr;
}

}  // namespace

TopologyRegistration::TopologyRegistration(TopologyKind kind) {
  Kinds().push_back(std::move(kind));
}

std::vector<TopologyKind> Topologies() {
  std::vector<TopologyKind> kinds = Kinds();
  std::sort(kinds.begin(), kinds.end(),
            [](const auto& left, const auto& right) { return left.name < right.name; });
  return kinds;
}

bool NothingElse(std::string_view rest, TargetSpec&) { return rest.empty(); }

Status TakeTopology(std::string_view& text, TargetSpec& spec) {
  // Not one in the folders of a path.
  const std::size_t slash = text.rfind('/');
  const std::size_t comma = text.find(',', slash == std::string_view::npos ? 0 : slash);
  if (comma == std::string_view::npos) return {};
  spec.topology = text.substr(comma + 1);
  text = text.substr(0, comma);
  const TopologyKind* const kind = Find(spec.topology);
  if (kind != nullptr &&
      kind->parse(std::string_view(spec.topology).substr(kind->name.size()), spec)) {
    return {};
  }
  std::vector<std::string> forms;
  for (const TopologyKind& one : Topologies()) forms.push_back(one.form);
  return Fail(StatusCode::kInvalidArgument,
              "target \"{}\": '{}' is no topology; expected one of {} after the comma", spec.text,
              spec.topology, fmt::join(forms, ", "));
}

Result<Endpoint> Topology::EndpointOf(const std::string&) {
  return Fail(StatusCode::kUnimplemented, "clients of this server show no certificates");
}

std::unique_ptr<Topology> MakeTopology(const TargetSpec& spec) {
  return spec.topology.empty() ? std::make_unique<Topology>() : Find(spec.topology)->make();
}

Status WriteFile(const std::filesystem::path& file, const std::string& text) {
  std::ofstream out(file);
  out << text;
  out.close();
  if (out) return {};
  return Fail(StatusCode::kInternal, "{} cannot be written", file.string());
}

}  // namespace watchproof
