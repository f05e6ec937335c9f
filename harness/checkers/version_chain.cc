// SPDX-License-Identifier: Apache-2.0
#include "harness/checkers/version_chain.h"

#include <fmt/format.h>

#include "harness/checkers/phrases.h"

namespace watchproof {

std::optional<VersionChain::Gap> VersionChain::Next(const EventView& event, Line line) {
  const KeyValueView& kv = event.kv;
  const bool deletes = event.type == 1;
  // A store may be declared not to count.
  if (event.type > 1 || (!deletes && (kv.version < 1 || kv.create_revision < 1))) {
    return std::nullopt;
  }
  const auto [entry, is_new] = keys_.try_emplace(std::string(kv.key));
  Key& key = entry->second;
  if (!is_new && kv.mod_revision <= key.revision) return std::nullopt;
  std::string missing = Missing(kv, is_new ? nullptr : &key, deletes);
  const Line before = key.line;
  key = {kv.mod_revision, kv.create_revision, deletes ? 0 : kv.version, line};
  if (missing.empty()) return std::nullopt;
  return Gap{std::move(missing), before};
}

std::string VersionChain::Missing(const KeyValueView& now, const Key* before, bool deletes) const {
  const std::string name = Quoted(now.key);
  if (deletes) {
    if (before == nullptr || before->version > 0) return "";
    return fmt::format("the put of {} between its deletes at revisions {} and {}", name,
                       before->revision, now.mod_revision);
  }
  const bool goes_on =
      before != nullptr && before->version > 0 && now.create_revision == before->created;
  const std::int64_t known = goes_on ? before->version : 0;
  // What was made before the watch began may have been put before that as well.
  const bool from_the_start =
      before != nullptr ? now.create_revision > before->revision : now.create_revision >= start_;
  if ((goes_on || from_the_start) && now.version > known + 1) {
    return fmt::format("{} of {}, from before revision {} (version {}, created at {})",
                       now.version == known + 2
                           ? fmt::format("version {}", known + 1)
                           : fmt::format("versions {} to {}", known + 1, now.version - 1),
                       name, now.mod_revision, now.version, now.create_revision);
  }
  const bool made_again =
      before != nullptr && before->version > 0 && now.create_revision > before->revision;
  if (!made_again) return "";
  return fmt::format("the delete of {} between revisions {} and {}, at which it was made again",
                     name, before->revision, now.create_revision);
}

}  // namespace watchproof
