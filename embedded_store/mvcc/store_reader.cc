// SPDX-License-Identifier: Apache-2.0
// The part of the store that reads all of it, as a durable backend would hold it.
#include <tuple>
#include <utility>

#include "embedded_store/mvcc/change_codec.h"
#include "embedded_store/mvcc/mvcc_store.h"

namespace watchproof::store {
namespace {

// For a store with its changes in memory and only the rest in its backend. Shares the changes with
// the store, which never modifies them.
class StoreReader final : public BackendReader {
 public:
  using Meta = std::map<std::string, std::string>;

  // `meta` comes on top of what `rest` has in that bucket.
  StoreReader(std::vector<ChangePtr> changes, Meta meta, std::unique_ptr<BackendReader> rest)
      : changes_(std::move(changes)), meta_(std::move(meta)), rest_(std::move(rest)) {}

  Status Seek(Bucket bucket) override {
    bucket_ = bucket;
    next_change_ = 0;
    next_meta_ = bucket == Bucket::kMeta ? meta_.begin() : meta_.end();
    return rest_->Seek(bucket);
  }
  Result<bool> Next(std::string_view& key, std::string_view& value) override {
    if (bucket_ == Bucket::kChange) {
      if (next_change_ == changes_.size()) return false;
      const Change& change = *changes_[next_change_++];
      key_ = ChangeKey({change.kv.mod, change.sub});
      value_ = ChangeValue(change);
    } else if (next_meta_ != meta_.end()) {
      std::tie(key_, value_) = *next_meta_++;
    } else {
      return rest_->Next(key, value);
    }
    key = key_;
    value = value_;
    return true;
  }

 private:
  const std::vector<ChangePtr> changes_;
  const Meta meta_;
  const std::unique_ptr<BackendReader> rest_;
  Bucket bucket_ = Bucket::kChange;
  std::size_t next_change_ = 0;
  Meta::const_iterator next_meta_ = meta_.end();
  std::string key_;  // of the entry that was handed out last
  std::string value_;
};

}  // namespace

Result<std::unique_ptr<BackendReader>> MvccStore::Read() const {
  if (backend_.durable()) return backend_.Read();
  std::vector<ChangePtr> changes;
  StoreReader::Meta meta;
  MutexLock lock(mu_);
  // Under the lock, so that no lease ends between its keys and itself.
  WP_ASSIGN_OR_RETURN(std::unique_ptr<BackendReader> rest, backend_.Read());
  changes.reserve(log_.size());
  log_.Visit(Revision{0}, current_, [&](const ChangePtr& change) { changes.push_back(change); });
  // Recorded as scheduled only: the reader of this snapshot erases what may be left to erase.
  if (compacted_.value > 0) meta[kCompactionScheduled] = NumberValue(compacted_.value);
  return std::make_unique<StoreReader>(std::move(changes), std::move(meta), std::move(rest));
}

}  // namespace watchproof::store
