// SPDX-License-Identifier: Apache-2.0
#include "embedded_store/mvcc/key_index.h"

#include <algorithm>

#include "harness/base/check.h"

namespace watchproof::store {
namespace {

bool MainBelow(const RevisionPair& pair, Revision main) { return pair.main < main; }
bool MainAbove(Revision main, const RevisionPair& pair) { return main < pair.main; }

}  // namespace

KeyIndex::Lineage KeyIndex::Put(const std::string& key, RevisionPair at) {
  Generations& generations = keys_[key];
  if (generations.empty() || generations.back().ended) {
    generations.push_back(
        {.lineage = NextLineage(generations, at.main), .ended = false, .revisions = {}});
  }
  Generation& now = generations.back();
  WP_CHECK(now.revisions.empty() || now.revisions.back() < at, "revisions of a key only grow");
  now.revisions.push_back(at);
  ++now.lineage.version;
  return now.lineage;
}

KeyIndex::Lineage KeyIndex::NextLineage(const Generations& generations, Revision create) const {
  Lineage lineage{.create = create, .version = 0};
  if (generations.empty()) return lineage;
  switch (hooks_.recreation) {
    case Recreation::kNothing:
      break;
    case Recreation::kItsCreateRevision:
      lineage.create = generations.back().lineage.create;
      break;
    case Recreation::kItsVersion:
      lineage.version = generations.back().lineage.version;
      break;
  }
  return lineage;
}

void KeyIndex::Delete(const std::string& key, RevisionPair at) {
  const auto found = keys_.find(key);
  WP_CHECK(found != keys_.end() && !found->second.back().ended, "only a living key is deleted");
  found->second.back().revisions.push_back(at);
  found->second.back().ended = true;
}

std::optional<RevisionPair> KeyIndex::FindAt(const std::string& key, Revision revision) const {
  const auto found = keys_.find(key);
  if (found == keys_.end()) return std::nullopt;
  return Visible(found->second, revision);
}

void KeyIndex::VisitAt(const KeyRange& range, Revision revision, const Visit& visit) const {
  for (auto it = keys_.lower_bound(range.begin); it != keys_.end(); ++it) {
    if (!range.Contains(it->first)) return;
    const auto at = Visible(it->second, revision);
    if (at && visit(it->first, *at) == Then::kStop) return;
  }
}

std::optional<RevisionPair> KeyIndex::Visible(const Generations& generations, Revision revision) {
  for (auto generation = generations.rbegin(); generation != generations.rend(); ++generation) {
    const auto after = std::upper_bound(generation->revisions.begin(), generation->revisions.end(),
                                        revision, MainAbove);
    if (after == generation->revisions.begin()) continue;  // this generation began later
    if (generation->ended && after == generation->revisions.end()) return std::nullopt;
    return *(after - 1);
  }
  return std::nullopt;
}

bool KeyIndex::Restore(const Change& change) {
  const bool lone = change.kind == ChangeKind::kDelete && !keys_.contains(change.kv.key);
  if (lone && hooks_.lone_delete == LoneDelete::kForgotten) return false;
  Generations& generations = keys_[change.kv.key];
  // A delete alone: compaction took the puts before it.
  if (generations.empty() || generations.back().ended) generations.emplace_back();
  Generation& now = generations.back();
  now.revisions.push_back({change.kv.mod, change.sub});
  if (change.kind == ChangeKind::kDelete) {
    now.ended = true;
  } else {
    now.lineage = {.create = change.kv.create, .version = change.kv.version};
  }
  return true;
}

KeyIndex::Trimmed KeyIndex::Compact(Revision floor, const std::string& from, std::size_t most) {
  Trimmed trimmed;
  for (auto it = keys_.lower_bound(from); it != keys_.end(); --most) {
    if (most == 0) {
      trimmed.next = it->first;
      break;
    }
    Generations& generations = it->second;
    for (Generation& generation : generations) Trim(generation, floor, trimmed.dropped);
    std::erase_if(generations,
                  [](const Generation& generation) { return generation.revisions.empty(); });
    it = generations.empty() ? keys_.erase(it) : std::next(it);
  }
  return trimmed;
}

void KeyIndex::Trim(Generation& generation, Revision floor,
                    std::vector<RevisionPair>& dropped) const {
  auto& revisions = generation.revisions;
  // All that happened at the floor stays, because a watch may start there. What a read at the floor
  // sees is either among it or the last put before it.
  auto kept = std::lower_bound(revisions.begin(), revisions.end(), floor, MainBelow);
  bool changed_at_floor = kept != revisions.end() && kept->main == floor;
  const bool ends_at_floor =
      changed_at_floor && generation.ended && std::next(kept) == revisions.end();
  if (ends_at_floor && hooks_.delete_at_floor == FloorDelete::kDropped) {
    ++kept;
    changed_at_floor = false;
  }
  if (!changed_at_floor && kept != revisions.begin()) {
    const bool is_delete = generation.ended && kept == revisions.end();
    if (!is_delete) --kept;
  }
  dropped.insert(dropped.end(), revisions.begin(), kept);
  revisions.erase(revisions.begin(), kept);
}

}  // namespace watchproof::store
