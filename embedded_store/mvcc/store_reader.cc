// SPDX-License-Identifier: Apache-2.0
#include "embedded_store/mvcc/store_reader.h"

#include <tuple>
#include <utility>

#include "embedded_store/mvcc/change_codec.h"

namespace watchproof::store {

StoreReader::StoreReader(std::vector<ChangePtr> changes, std::map<std::string, std::string> meta,
                         std::unique_ptr<BackendReader> rest)
    : changes_(std::move(changes)),
      meta_(std::move(meta)),
      rest_(std::move(rest)),
      next_meta_(meta_.end()) {}

Status StoreReader::Seek(Bucket bucket) {
  bucket_ = bucket;
  next_change_ = 0;
  next_meta_ = bucket == Bucket::kMeta ? meta_.begin() : meta_.end();
  return rest_->Seek(bucket);
}

Result<bool> StoreReader::Next(std::string_view& key, std::string_view& value) {
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

}  // namespace watchproof::store
