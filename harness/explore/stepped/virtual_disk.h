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

#include <algorithm>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "embedded_store/backend/memory_backend.h"

namespace watchproof::explore {

class VirtualDisk final : public store::Backend {
 public:
  // Admits so many bytes, and when those are not enough for a write, no more at all. 0: any.
  explicit VirtualDisk(std::size_t room = 0) : room_(room) {}
  bool Takes(std::size_t bytes) const { return room_ == 0 || (!full_ && used_ + bytes <= room_); }

  // Takes over what another backend holds.
  Status Fill(store::BackendReader& reader) {
    for (const store::Bucket bucket : store::kAllBuckets) {
      WP_RETURN_IF_ERROR(reader.Seek(bucket));
      std::string_view key, value;
      while (true) {
        WP_ASSIGN_OR_RETURN(const bool found, reader.Next(key, value));
        if (!found) break;
        kept_.Stage({{bucket, std::string(key), std::string(value)}});
      }
    }
    return {};
  }
  // The first entry of a bucket loses its value, or its key is damaged; false if there is none.
  enum class Part { kKey, kKeyLength, kValue };
  Result<bool> Spoil(store::Bucket bucket, Part part) {
    WP_ASSIGN_OR_RETURN(const auto reader, Read());
    WP_RETURN_IF_ERROR(reader->Seek(bucket));
    std::string_view key, value;
    WP_ASSIGN_OR_RETURN(const bool found, reader->Next(key, value));
    if (!found) return false;
    store::Mutation damaged{bucket, std::string(key), std::string(value)};
    if (part == Part::kKey) damaged.key[key.size() / 2] = 'x';
    if (part == Part::kKeyLength) damaged.key += 'x';
    if (part == Part::kValue) damaged.value->clear();
    kept_.Stage({{bucket, std::string(key)}, std::move(damaged)});
    return true;
  }
  // The oldest so many become safe.
  void Sync(std::size_t writes) {
    const std::size_t count = std::min(writes, waiting_.size());
    if (count == 0) return;
    for (std::size_t i = 0; i < count; ++i) {
      kept_.Stage(std::move(waiting_.front()));
      waiting_.pop_front();
    }
    safe_ = safe_.plus(count);
    if (listener_) listener_(safe_);
    std::deque<std::pair<store::Ticket, Done>> called;
    while (!done_.empty() && done_.front().first <= safe_) {
      called.push_back(std::move(done_.front()));
      done_.pop_front();
    }
    for (auto& [ticket, done] : called) done(Status());
  }
  bool idle() const { return waiting_.empty(); }
  // The oldest so many are kept, the others lost; the users of the disk are gone, and no callback
  // of theirs is called. Returns the last write that is still there.
  store::Ticket Crash(std::size_t kept) {
    const store::Ticket there = safe_.plus(std::min(kept, waiting_.size()));
    for (std::size_t i = std::min(kept, waiting_.size()); i > 0; --i) {
      kept_.Stage(std::move(waiting_.front()));
      waiting_.pop_front();
    }
    waiting_.clear();
    done_.clear();
    listener_ = nullptr;
    safe_ = staged_;
    return there;
  }
  // The last write that was staged, safe or not.
  store::Ticket last() const { return staged_; }

  bool durable() const override { return true; }
  Status Admit(std::size_t bytes, store::Purpose purpose) override {
    if (purpose == store::Purpose::kFree) return {};
    full_ = !Takes(bytes);
    if (!full_) used_ += bytes;
    if (!full_) return {};
    return {StatusCode::kResourceExhausted, "etcdserver: mvcc: database space exceeded"};
  }
  Result<std::unique_ptr<store::BackendReader>> Read() const override { return kept_.Read(); }
  store::Ticket Stage(std::vector<store::Mutation> mutations) override {
    waiting_.push_back(std::move(mutations));
    staged_ = staged_.next();
    return staged_;
  }
  store::Ticket staged() const override { return idle() ? store::Ticket() : staged_; }
  void WhenSafe(store::Ticket ticket, Done done) override {
    if (ticket <= safe_) return done(Status());
    done_.emplace_back(ticket, std::move(done));
  }
  void OnSafe(std::function<void(store::Ticket safe)> listener) override {
    listener_ = std::move(listener);
  }
  store::BackendSizes sizes() const override { return {}; }
  Status Defragment() override { return {}; }
  void Stop() override {}

 private:
  const std::size_t room_;
  std::size_t used_ = 0;
  bool full_ = false;
  store::MemoryBackend kept_;  // what is safe
  std::deque<std::vector<store::Mutation>> waiting_;
  std::deque<std::pair<store::Ticket, Done>> done_;
  std::function<void(store::Ticket)> listener_;
  store::Ticket staged_{};
  store::Ticket safe_{};
};

}  // namespace watchproof::explore
