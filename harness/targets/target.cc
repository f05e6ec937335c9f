// SPDX-License-Identifier: Apache-2.0
#include "harness/targets/target.h"

#include <algorithm>

namespace watchproof {
namespace {

std::vector<TargetKind>& Kinds() {
  static std::vector<TargetKind> kinds;
  return kinds;
}

std::string Grammars() {
  std::string all;
  for (const TargetKindInfo& kind : TargetKinds()) {
    all += fmt::format("{}\"{}\"", all.empty() ? "" : ", ", kind.grammar);
  }
  return all;
}

// "@3.5.16"; the version becomes part of a path, so that nothing else may be in it.
bool IsVersion(std::string_view rest) {
  return rest.starts_with("@") && rest.find("..") == std::string_view::npos &&
         rest.find_first_not_of("0123456789abcdefghijklmnopqrstuvwxyz.-+~", 1) ==
             std::string_view::npos;
}

}  // namespace

TargetRegistration::TargetRegistration(TargetKind kind) { Kinds().push_back(std::move(kind)); }

std::vector<TargetKindInfo> TargetKinds() {
  std::vector<TargetKindInfo> infos;
  for (const TargetKind& kind : Kinds()) infos.push_back(kind.info);
  std::sort(infos.begin(), infos.end(),
            [](const auto& left, const auto& right) { return left.name < right.name; });
  return infos;
}

Result<TargetSpec> ParseTargetSpec(const std::string& text) {
  TargetSpec spec{.text = text};
  const auto kind_end = text.find_first_of(":+@");
  spec.kind = text.substr(0, kind_end);
  std::string rest = kind_end == std::string::npos ? "" : text.substr(kind_end);
  const auto known = [&](const TargetKind& kind) { return kind.info.name == spec.kind; };
  const bool wants_path = spec.kind == "etcd";
  const bool good_rest = wants_path ? rest.size() > 1 && (rest[0] == ':' || IsVersion(rest))
                                    : rest.empty() || rest[0] == '+';
  if (std::none_of(Kinds().begin(), Kinds().end(), known) || !good_rest) {
    return Fail(StatusCode::kInvalidArgument, "target \"{}\" is not understood; expected one of {}",
                text, Grammars());
  }
  if (wants_path) {
    (rest[0] == '@' ? spec.version : spec.path) = rest.substr(1);
    return spec;
  }
  while (!rest.empty()) {
    const auto end = rest.find('+', 1);
    spec.defects.push_back(rest.substr(1, end == std::string::npos ? end : end - 1));
    rest = end == std::string::npos ? "" : rest.substr(end);
    if (spec.defects.back().empty()) {
      return Fail(StatusCode::kInvalidArgument,
                  "target \"{}\" names no defect after \"+\"; expected one of {}", text,
                  Grammars());
    }
  }
  return spec;
}

Result<std::unique_ptr<Target>> MakeTarget(const TargetSpec& spec) {
  for (const TargetKind& kind : Kinds()) {
    if (kind.info.name == spec.kind) return kind.make(spec);
  }
  return Fail(StatusCode::kInvalidArgument, "target \"{}\" is not understood; expected one of {}",
              spec.text, Grammars());
}

}  // namespace watchproof
