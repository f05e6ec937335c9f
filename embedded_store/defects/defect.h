// SPDX-License-Identifier: Apache-2.0
// Deliberate bugs of the embedded store: what each does, and the guarantees that must catch it.
//
//   for (const DefectInfo& info : KnownDefects()) ...
//   StoreServer::Start({.defects = {"compaction-notice-lost"}});
//
// A defect is one file: a DefectRegistration with its description and the hook that it changes. An
// executable that offers defects links this folder itself, because the registrations would be
// dropped from an archive. Threads: registration happens before main; afterwards all is read-only.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "embedded_store/mvcc/hook_registry.h"
#include "embedded_store/mvcc/hooks.h"

namespace watchproof::store {

struct DefectInfo {
  std::string name;
  std::string explain;                  // a paragraph in plain language
  std::string upstream_issue = {};      // "#17529"; empty: none
  std::vector<std::string> guarantees;  // that must catch it, such as "CompactionSurfaced"
};

class DefectRegistration {
 public:
  DefectRegistration(DefectInfo info, ChangeHooks change) {
    RegisterHooks(info.name, std::move(change));
    all().emplace(info.name, std::move(info));
  }
  static std::map<std::string, DefectInfo>& all() {
    static std::map<std::string, DefectInfo> defects;
    return defects;
  }
};

// Sorted by name.
inline std::vector<DefectInfo> KnownDefects() {
  std::vector<DefectInfo> defects;
  for (const auto& [name, info] : DefectRegistration::all()) defects.push_back(info);
  return defects;
}

}  // namespace watchproof::store
