// SPDX-License-Identifier: Apache-2.0
#include "embedded_store/backend/memory_backend.h"

#include <utility>

#include "harness/base/check.h"

namespace watchproof::store {
namespace {

std::size_t Index(Bucket bucket) { return static_cast<std::size_t>(bucket); }

ByteCount Size(std::string_view key, std::string_view value) {
  return ByteCount(static_cast<std::int64_t>(key.size() + value.size()));
}

// Reads a copy: what lasts nowhere is small, and so is what tests write.
class MemoryReader final : public BackendReader {
 public:
  explicit MemoryReader(MemoryBackend::Buckets buckets) : buckets_(std::move(buckets)) {}
  Status Seek(Bucket bucket) override {
    entries_ = &buckets_[Index(bucket)];
    next_ = entries_->begin();
    return {};
  }
  Result<bool> Next(std::string_view& key, std::string_view& value) override {
    if (next_ == entries_->end()) return false;
    key = next_->first;
    value = next_->second;
    ++next_;
    return true;
  }

 private:
  const MemoryBackend::Buckets buckets_;
  const MemoryBackend::Entries* entries_ = nullptr;
  MemoryBackend::Entries::const_iterator next_;
};

}  // namespace

Result<std::unique_ptr<BackendReader>> MemoryBackend::Read() const {
  MutexLock lock(mu_);
  return std::make_unique<MemoryReader>(buckets_);
}

Ticket MemoryBackend::Stage(std::vector<Mutation> mutations) {
  MutexLock lock(mu_);
  for (Mutation& mutation : mutations) {
    WP_CHECK(!mutation.key.empty() && mutation.key.size() <= kLongestKey,
             "keys have 1 to 511 bytes");
    Entries& entries = buckets_[Index(mutation.bucket)];
    const auto old = entries.find(mutation.key);
    if (old != entries.end()) {
      bytes_.value -= Size(old->first, old->second).value;
      entries.erase(old);
    }
    if (!mutation.value) continue;
    bytes_ += Size(mutation.key, *mutation.value);
    entries.emplace(std::move(mutation.key), *std::move(mutation.value));
  }
  return {};
}

BackendSizes MemoryBackend::sizes() const {
  MutexLock lock(mu_);
  return {.total = bytes_, .in_use = bytes_};
}

}  // namespace watchproof::store
