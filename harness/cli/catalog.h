// SPDX-License-Identifier: Apache-2.0
// All named things with their explanations in one list, for `list` and `explain`.
//
// Threads: pure functions; registrations happen before main.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace watchproof {

struct CatalogEntry {
  std::string
      kind;  // "case", "guarantee", "fault", "effect", "defect", "issue", "target", "verdict",
             // "level"
  std::string name;
  std::string summary;                                     // one line; may be empty
  std::string explain;                                     // a paragraph
  std::vector<std::pair<std::string, std::string>> facts;  // "level": "must"
};

// By kind in the order above, within a kind by name.
std::vector<CatalogEntry> Catalog();
// Kinds that `list` shows; the others are words that only `explain` needs.
const std::vector<std::string>& ListedKinds();

}  // namespace watchproof
