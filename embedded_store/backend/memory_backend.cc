// SPDX-License-Identifier: Apache-2.0
#include "embedded_store/backend/memory_backend.h"

#include <utility>

namespace watchproof::store {
namespace {

std::size_t Index(Bucket bucket) { return static_cast<std::size_t>(bucket); }

ByteCount Size(std::string_view key, std::string_view value) {
  return ByteCount(static_cast<std::int64_t>(key.size() + value.size()));
}

}  // namespace

Status MemoryBackend::Load(Bucket bucket, const Visitor& visit) const {
  Entries entries;
  {
    MutexLock lock(mu_);
    entries = buckets_[Index(bucket)];
  }
  for (const auto& [key, value] : entries) visit(key, value);
  return {};
}

Ticket MemoryBackend::Stage(std::vector<Mutation> mutations) {
  MutexLock lock(mu_);
  for (Mutation& mutation : mutations) {
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
