// SPDX-License-Identifier: Apache-2.0
// A backend without a disk: everything is safe at once and gone with the object.
//
//   MemoryBackend backend;
//   MemoryBackend durable(Durable::kYes);   // for tests of what is written and read back
//
// Threads: any; the lock inside is a leaf. Ownership: everything by value.
#pragma once

#include <array>
#include <map>

#include "embedded_store/backend/backend.h"
#include "harness/base/mutex.h"

namespace watchproof::store {

enum class Durable { kNo, kYes };

class MemoryBackend final : public Backend {
 public:
  using Entries = std::map<std::string, std::string, std::less<>>;
  using Buckets = std::array<Entries, std::size(kAllBuckets)>;

  explicit MemoryBackend(Durable durable = Durable::kNo) : durable_(durable) {}

  bool durable() const override { return durable_ == Durable::kYes; }
  Status Admit(std::size_t, Purpose) override { return {}; }
  Result<std::unique_ptr<BackendReader>> Read() const override;
  Ticket Stage(std::vector<Mutation> mutations) override;
  Ticket staged() const override { return {}; }
  void WhenSafe(Ticket, Done done) override { done(Status()); }
  void OnSafe(std::function<void(Ticket)>) override {}
  BackendSizes sizes() const override;
  Status Defragment() override { return {}; }
  void Stop() override {}

 private:
  const Durable durable_;
  mutable Mutex mu_;
  Buckets buckets_ GUARDED_BY(mu_);
  ByteCount bytes_ GUARDED_BY(mu_);
};

}  // namespace watchproof::store
