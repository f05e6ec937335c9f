// SPDX-License-Identifier: Apache-2.0
// Storage of the store's data: ordered keys in a few buckets, written in order and in groups.
//
//   const Ticket ticket = backend.Stage({{Bucket::kLease, key, value}, {Bucket::kMeta, gone}});
//   backend.WhenSafe(ticket, [](const Status& safe) { ...answer the client... });
//
// What is staged in one call is kept together: after a crash all of it is there or none of it, and
// never something later without something earlier. An answer that shows staged data must wait for
// its ticket, or a crash could take back what a client has seen.
// Threads: all functions from any. Stage never waits for the disk. Ownership: the caller's; Stop is
// idempotent and waits until everything staged before is safe or has failed; afterwards nothing
// calls out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/status.h"
#include "harness/base/units.h"

namespace watchproof::store {

enum class Bucket { kChange, kMeta, kLease, kAuth, kAlarm };
inline constexpr Bucket kAllBuckets[] = {Bucket::kChange, Bucket::kMeta, Bucket::kLease,
                                         Bucket::kAuth, Bucket::kAlarm};

// In bytes; LMDB's own limit.
inline constexpr std::size_t kLongestKey = 511;

struct Mutation {
  Bucket bucket = Bucket::kMeta;
  std::string key;                     // 1 to kLongestKey bytes
  std::optional<std::string> value{};  // none: the key is erased
};

// Counts calls of Stage. 0 is always safe: there is nothing to wait for.
using Ticket = Quantity<struct TicketTag, std::uint64_t>;

enum class Purpose { kGrow, kFree };

struct BackendSizes {
  ByteCount total;   // what it takes up
  ByteCount in_use;  // of that, what holds data
};

// Goes through what was safe when it was made, whatever is written meanwhile. Not thread-safe; must
// be gone before its backend.
class BackendReader {
 public:
  virtual ~BackendReader() = default;
  // Goes to the beginning of a bucket.
  virtual Status Seek(Bucket bucket) = 0;
  // The next entry in the order of the keys; false behind the last. The views are good until the
  // next call. Requires: Seek.
  virtual Result<bool> Next(std::string_view& key, std::string_view& value) = 0;
};

class Backend {
 public:
  using Visitor = std::function<void(std::string_view key, std::string_view value)>;
  using Done = std::function<void(const Status& safe)>;

  virtual ~Backend() = default;

  // Whether what is staged outlives the process. If not, a writer that keeps its data in memory
  // anyway need not stage it.
  virtual bool durable() const = 0;
  // Why so many bytes more cannot be kept; ok if they can. Asked before a write is begun, because
  // what has been staged can no longer be refused. What frees space may use a reserve.
  virtual Status Admit(std::size_t bytes, Purpose purpose) = 0;
  virtual Result<std::unique_ptr<BackendReader>> Read() const = 0;
  // Everything in the bucket, in the order of its keys, as of the last safe ticket.
  Status Load(Bucket bucket, const Visitor& visit) const;

  virtual Ticket Stage(std::vector<Mutation> mutations) = 0;
  // The last ticket given out; 0 when everything staged is safe.
  virtual Ticket staged() const = 0;
  // Calls `done` once: at once on this thread when the ticket is safe already, else on the
  // backend's own, in the order of the tickets. A status that is not ok means that the data could
  // not be kept. `done` must not wait.
  virtual void WhenSafe(Ticket ticket, Done done) = 0;
  // Once per group that became safe, before the calls of WhenSafe for it. Not called for tickets
  // that were safe when they were given out. Requires: once, before the first Stage.
  virtual void OnSafe(std::function<void(Ticket safe)> listener) = 0;

  virtual BackendSizes sizes() const = 0;
  // Gives unused space back. Blocks. kUnavailable while a BackendReader is open.
  virtual Status Defragment() = 0;
  virtual void Stop() = 0;
};

// Blocks until the ticket is safe or has failed. Not for the backend's own thread, nor for gRPC's.
Status AwaitSafe(Backend& backend, Ticket ticket);

}  // namespace watchproof::store
