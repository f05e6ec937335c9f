// SPDX-License-Identifier: Apache-2.0
// Reads a whole store as a durable backend would hold it, for a store with its changes in memory
// and only the rest in its backend.
//
//   StoreReader reader(changes, numbers, backend_reader);
//
// Not thread-safe. Ownership: shares the changes with the store, which never modifies them; owns
// the reader of the rest.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "embedded_store/backend/backend.h"
#include "embedded_store/mvcc/change.h"

namespace watchproof::store {

class StoreReader final : public BackendReader {
 public:
  // `meta` comes on top of what `rest` has in that bucket.
  StoreReader(std::vector<ChangePtr> changes, std::map<std::string, std::string> meta,
              std::unique_ptr<BackendReader> rest);

  Status Seek(Bucket bucket) override;
  Result<bool> Next(std::string_view& key, std::string_view& value) override;

 private:
  const std::vector<ChangePtr> changes_;
  const std::map<std::string, std::string> meta_;
  const std::unique_ptr<BackendReader> rest_;
  Bucket bucket_ = Bucket::kChange;
  std::size_t next_change_ = 0;
  std::map<std::string, std::string>::const_iterator next_meta_;
  std::string key_;  // of the entry that was handed out last
  std::string value_;
};

}  // namespace watchproof::store
