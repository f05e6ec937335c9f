// SPDX-License-Identifier: Apache-2.0
#include "embedded_store/backend/lmdb_backend.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace watchproof::store {
namespace {

// Space that only deletes and compactions may use, so that a full store can be emptied.
constexpr std::uint64_t kReserve = std::uint64_t{8} << 20;
// The file grows by at least so much, or by a quarter.
constexpr std::uint64_t kLeastGrowth = std::uint64_t{16} << 20;
// A transaction touches the pages on the way to what it changes, too.
constexpr std::size_t kMostBatchWeight = std::size_t{64} << 20;
constexpr Duration kFullDiskPause = 100ms;

// The most bytes of the file that an entry can make grow: values of more than half a page have
// pages of their own.
std::size_t Weigh(std::size_t bytes) {
  constexpr std::size_t kPage = 4096;
  constexpr std::size_t kPerEntry = 128;
  return bytes < kPage / 4 ? 2 * bytes + kPerEntry : bytes + 2 * kPage;
}
std::size_t Weigh(const Mutation& mutation) {
  return Weigh(mutation.key.size() + (mutation.value ? mutation.value->size() : 0));
}

}  // namespace

Result<std::unique_ptr<LmdbBackend>> LmdbBackend::Open(const std::filesystem::path& path) {
  WP_ASSIGN_OR_RETURN(std::unique_ptr<DataFolder> folder, DataFolder::Hold(path));
  // What a crash left half made was never in use.
  folder->DropDraft();
  std::error_code error;
  if (!std::filesystem::exists(folder->file(), error)) {
    WP_RETURN_IF_ERROR(LmdbFile::Create(folder->draft()));
    WP_RETURN_IF_ERROR(folder->Promote());
    folder->DropDraft();
  }
  WP_ASSIGN_OR_RETURN(std::shared_ptr<LmdbFile> file, LmdbFile::Open(folder->file()));
  return std::unique_ptr<LmdbBackend>(new LmdbBackend(std::move(folder), std::move(file)));
}

LmdbBackend::LmdbBackend(std::unique_ptr<DataFolder> folder, std::shared_ptr<LmdbFile> file)
    : folder_(std::move(folder)), file_(std::move(file)), thread_([this] { Run(); }) {}

std::shared_ptr<LmdbFile> LmdbBackend::file() const {
  MutexLock lock(mu_);
  return file_;
}

Status LmdbBackend::Admit(std::size_t bytes, Purpose purpose) {
  MutexLock lock(mu_);
  WP_RETURN_IF_ERROR(broken_);
  // Only half of the free pages inside the file are counted on: a large value needs neighbours.
  const BackendSizes sizes = file_->sizes();
  const auto in_use = static_cast<std::uint64_t>((sizes.in_use.value + sizes.total.value) / 2);
  const std::uint64_t kept = purpose == Purpose::kGrow ? 2 * kReserve : 0;
  const std::uint64_t needed = in_use + weight_ + (bytes > 0 ? Weigh(bytes) : 0) + kept;
  if (needed <= file_->reserved()) return {};
  const std::uint64_t growth = std::max(kLeastGrowth, file_->reserved() / 4);
  Status grown = file_->Reserve(std::max(needed, file_->reserved() + growth));
  // Perhaps there is room for this one at least.
  if (!grown.ok()) grown = file_->Reserve(needed);
  return grown;
}

Result<std::unique_ptr<BackendReader>> LmdbBackend::Read() const { return LmdbFile::Read(file()); }

Ticket LmdbBackend::Stage(std::vector<Mutation> mutations) {
  std::size_t weight = 0;
  for (const Mutation& mutation : mutations) weight += Weigh(mutation);
  MutexLock lock(mu_);
  staged_ = staged_.next();
  weight_ += weight;
  if (queue_.empty()) work_.NotifyOne();
  queue_.push_back({.ticket = staged_, .mutations = std::move(mutations), .weight = weight});
  return staged_;
}

Ticket LmdbBackend::staged() const {
  MutexLock lock(mu_);
  return safe_ == staged_ ? Ticket{} : staged_;
}

void LmdbBackend::WhenSafe(Ticket ticket, Done done) {
  Status status;
  {
    MutexLock lock(mu_);
    if (ticket > safe_ && broken_.ok()) {
      // Nearly always at the end: callers come in the order in which they staged.
      auto place = waiting_.end();
      while (place != waiting_.begin() && std::prev(place)->ticket > ticket) --place;
      waiting_.insert(place, {.ticket = ticket, .done = std::move(done)});
      return;
    }
    if (ticket > safe_) status = broken_;
  }
  done(status);
}

BackendSizes LmdbBackend::sizes() const { return file()->sizes(); }

void LmdbBackend::Run() {
  std::vector<Staged> batch;
  while (AwaitWork(batch)) {
    if (!batch.empty()) Commit(batch);
    for (std::promise<Status>& swap : TakeSwaps()) swap.set_value(Swap());
  }
}

bool LmdbBackend::AwaitWork(std::vector<Staged>& batch) {
  batch.clear();
  MutexLock lock(mu_);
  while (queue_.empty() && swaps_.empty() && !stopping_) work_.Wait(mu_);
  for (std::size_t weight = 0; !queue_.empty() && weight < kMostBatchWeight;) {
    weight += queue_.front().weight;
    batch.push_back(std::move(queue_.front()));
    queue_.pop_front();
  }
  return !batch.empty() || !swaps_.empty();
}

std::vector<std::promise<Status>> LmdbBackend::TakeSwaps() {
  MutexLock lock(mu_);
  return std::exchange(swaps_, {});
}

void LmdbBackend::Commit(const std::vector<Staged>& batch) {
  {
    MutexLock lock(mu_);
    if (!broken_.ok()) return;  // all waiting calls have been completed
  }
  const Status written = Write(batch);
  if (!written.ok()) return Break(written);
  Publish(batch);
  file()->Smooth();
}

Status LmdbBackend::Write(const std::vector<Staged>& batch) {
  const std::shared_ptr<LmdbFile> target = file();
  std::vector<std::span<const Mutation>> groups;
  for (const Staged& staged : batch) groups.emplace_back(staged.mutations);
  while (true) {
    Status written = target->Write(groups);
    if (written.code() != StatusCode::kResourceExhausted) return written;
    // Nothing of it is in the file, and what was admitted is kept until it fits.
    MutexLock lock(mu_);
    if (stopping_) return written;
    work_.WaitUntil(mu_, Clock::now() + kFullDiskPause);
  }
}

void LmdbBackend::Publish(const std::vector<Staged>& batch) {
  const Ticket ticket = batch.back().ticket;
  // First, so that a caller finds the feed at least as far as its answer.
  if (listener_) listener_(ticket);
  std::vector<Waiting> done;
  {
    MutexLock lock(mu_);
    safe_ = ticket;
    for (const Staged& staged : batch) weight_ -= staged.weight;
    while (!waiting_.empty() && waiting_.front().ticket <= ticket) {
      done.push_back(std::move(waiting_.front()));
      waiting_.pop_front();
    }
  }
  for (const Waiting& one : done) one.done(Status());
}

void LmdbBackend::Break(const Status& status) {
  std::deque<Waiting> failed;
  {
    MutexLock lock(mu_);
    broken_ = status.WithContext("nothing can be written any more");
    failed.swap(waiting_);
  }
  for (const Waiting& one : failed) one.done(status);
}

Status LmdbBackend::Defragment() {
  std::future<Status> swapped;
  {
    MutexLock lock(mu_);
    WP_RETURN_IF_ERROR(broken_);
    if (stopping_) return Fail(StatusCode::kUnavailable, "the store is being stopped");
    swapped = swaps_.emplace_back().get_future();
    work_.NotifyOne();
  }
  return swapped.get();
}

Status LmdbBackend::Swap() {
  folder_->DropDraft();
  Status copied = file()->CopyTo(folder_->draft());
  MutexLock lock(mu_);
  if (copied.ok() && file_.use_count() > 1) {
    copied = Fail(StatusCode::kUnavailable, "{} is being read, for a snapshot perhaps; try again",
                  folder_->file().string());
  }
  if (!copied.ok()) {
    folder_->DropDraft();
    return copied;
  }
  file_.reset();
  const Status promoted = folder_->Promote();
  auto opened = LmdbFile::Open(folder_->file());
  if (!opened) {
    broken_ = opened.error();
    return broken_;
  }
  file_ = *std::move(opened);
  return promoted;
}

void LmdbBackend::Stop() {
  {
    MutexLock lock(mu_);
    stopping_ = true;
    work_.NotifyAll();
  }
  if (thread_.joinable()) thread_.join();
}

}  // namespace watchproof::store
