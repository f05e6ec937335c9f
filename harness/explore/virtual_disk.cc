// SPDX-License-Identifier: Apache-2.0
#include "harness/explore/virtual_disk.h"

#include <algorithm>

#include "harness/base/check.h"

namespace watchproof::explore {
namespace {

// A copy: nothing here is large.
class Snapshot final : public store::BackendReader {
 public:
  explicit Snapshot(VirtualDisk::Buckets buckets) : buckets_(std::move(buckets)) {}

  Status Seek(store::Bucket bucket) override {
    entries_ = &buckets_[static_cast<std::size_t>(bucket)];
    at_ = entries_->begin();
    return {};
  }
  Result<bool> Next(std::string_view& key, std::string_view& value) override {
    WP_CHECK(entries_ != nullptr, "Seek comes first");
    if (at_ == entries_->end()) return false;
    key = at_->first;
    value = at_->second;
    ++at_;
    return true;
  }

 private:
  const VirtualDisk::Buckets buckets_;
  const VirtualDisk::Entries* entries_ = nullptr;
  VirtualDisk::Entries::const_iterator at_;
};

}  // namespace

Result<std::unique_ptr<store::BackendReader>> VirtualDisk::Read() const {
  return std::make_unique<Snapshot>(buckets_);
}

store::Ticket VirtualDisk::Stage(std::vector<store::Mutation> mutations) {
  waiting_.push_back(std::move(mutations));
  staged_ = staged_.next();
  return staged_;
}

store::Ticket VirtualDisk::staged() const { return idle() ? store::Ticket() : staged_; }

void VirtualDisk::WhenSafe(store::Ticket ticket, Done done) {
  if (ticket <= safe_) return done(Status());
  done_.emplace_back(ticket, std::move(done));
}

void VirtualDisk::OnSafe(std::function<void(store::Ticket safe)> listener) {
  listener_ = std::move(listener);
}

Status VirtualDisk::Admit(std::size_t bytes, store::Purpose purpose) {
  if (purpose == store::Purpose::kFree) return {};
  full_ = !Takes(bytes);
  if (!full_) used_ += bytes;
  if (!full_) return {};
  return {StatusCode::kResourceExhausted, "etcdserver: mvcc: database space exceeded"};
}

Status VirtualDisk::Fill(store::BackendReader& reader) {
  for (const store::Bucket bucket : store::kAllBuckets) {
    WP_RETURN_IF_ERROR(reader.Seek(bucket));
    std::string_view key, value;
    while (true) {
      WP_ASSIGN_OR_RETURN(const bool found, reader.Next(key, value));
      if (!found) break;
      buckets_[static_cast<std::size_t>(bucket)].emplace(key, value);
    }
  }
  return {};
}

bool VirtualDisk::Spoil(store::Bucket bucket, Part part) {
  Entries& entries = buckets_[static_cast<std::size_t>(bucket)];
  if (entries.empty()) return false;
  auto entry = entries.extract(entries.begin());
  if (part == Part::kKey) entry.key()[entry.key().size() / 2] = 'x';
  if (part == Part::kKeyLength) entry.key() += 'x';
  if (part == Part::kValue) entry.mapped().clear();
  entries.insert(std::move(entry));
  return true;
}

void VirtualDisk::Write(const std::vector<store::Mutation>& mutations) {
  for (const store::Mutation& mutation : mutations) {
    Entries& entries = buckets_[static_cast<std::size_t>(mutation.bucket)];
    if (mutation.value) {
      entries[mutation.key] = *mutation.value;
    } else {
      entries.erase(mutation.key);
    }
  }
}

void VirtualDisk::Sync(std::size_t writes) {
  const std::size_t count = std::min(writes, waiting_.size());
  if (count == 0) return;
  for (std::size_t i = 0; i < count; ++i) {
    Write(waiting_.front());
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

store::Ticket VirtualDisk::Crash(std::size_t kept) {
  const store::Ticket there = safe_.plus(std::min(kept, waiting_.size()));
  for (std::size_t i = std::min(kept, waiting_.size()); i > 0; --i) {
    Write(waiting_.front());
    waiting_.pop_front();
  }
  waiting_.clear();
  done_.clear();
  listener_ = nullptr;
  safe_ = staged_;
  return there;
}

}  // namespace watchproof::explore
