// SPDX-License-Identifier: Apache-2.0
// A disk with syncs and crashes that are decided from outside: a backend in memory that keeps
// what is staged apart until it is safe, and loses it in a crash.
//
//   VirtualDisk disk;
//   MvccStore store(disk, hooks);
//   disk.Sync(1);                       // the oldest staged write is safe
//   disk.Crash(0);                      // all others are lost; a new store recovers from the disk
//
// Not thread-safe. Ownership: outlives the stores on it.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "embedded_store/backend/backend.h"

namespace watchproof::explore {

class VirtualDisk final : public store::Backend {
 public:
  using Entries = std::map<std::string, std::string, std::less<>>;
  using Buckets = std::array<Entries, std::size(store::kAllBuckets)>;

  // Admits so many bytes, and when those are not enough for a write, no more at all. 0: any.
  explicit VirtualDisk(std::size_t room = 0) : room_(room) {}
  bool Takes(std::size_t bytes) const { return room_ == 0 || (!full_ && used_ + bytes <= room_); }

  // Takes over what another backend holds.
  Status Fill(store::BackendReader& reader);
  // The first entry of a bucket loses its value, or its key is damaged; false if there is none.
  enum class Part { kKey, kKeyLength, kValue };
  bool Spoil(store::Bucket bucket, Part part);
  // The oldest so many become safe.
  void Sync(std::size_t writes);
  bool idle() const { return waiting_.empty(); }
  // The oldest so many are kept, the others lost; the users of the disk are gone, and no callback
  // of theirs is called. Returns the last write that is still there.
  store::Ticket Crash(std::size_t kept);
  // Of all writes that were staged, safe or not.
  store::Ticket last() const { return staged_; }

  bool durable() const override { return true; }
  Status Admit(std::size_t bytes, store::Purpose purpose) override;
  Result<std::unique_ptr<store::BackendReader>> Read() const override;
  store::Ticket Stage(std::vector<store::Mutation> mutations) override;
  store::Ticket staged() const override;
  void WhenSafe(store::Ticket ticket, Done done) override;
  void OnSafe(std::function<void(store::Ticket safe)> listener) override;
  store::BackendSizes sizes() const override { return {}; }
  Status Defragment() override { return {}; }
  void Stop() override {}

 private:
  void Write(const std::vector<store::Mutation>& mutations);

  const std::size_t room_;
  std::size_t used_ = 0;
  bool full_ = false;
  Buckets buckets_;
  std::deque<std::vector<store::Mutation>> waiting_;
  std::deque<std::pair<store::Ticket, Done>> done_;
  std::function<void(store::Ticket)> listener_;
  store::Ticket staged_{};
  store::Ticket safe_{};
};

}  // namespace watchproof::explore
