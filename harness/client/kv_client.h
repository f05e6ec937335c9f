// SPDX-License-Identifier: Apache-2.0
// Writes, reads, compactions and leases; each call is recorded with its request and its answer
// before it is judged.
//
//   KvClient kv(context, "127.0.0.1:2379");
//   WP_ASSIGN_OR_RETURN(Revision revision, kv.Put("k", "v"));
//
// Threads: any once the token is set; a call blocks its caller until the answer or its time limit.
// Ownership: refers to the context.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "harness/client/client_context.h"

namespace watchproof {

// One change of a transaction, or a read beside them.
struct WriteOp {
  enum class Kind { kPut, kDelete, kRead };
  Kind kind = Kind::kPut;
  std::string key;
  std::string range_end;  // of a delete; etcd's meaning
  std::string value;      // of a put
  std::int64_t lease = 0;
  Revision revision{};  // of a read; 0: the latest
};

struct ReadOptions {
  std::string key;
  std::string range_end{};    // etcd's meaning
  std::int64_t limit = 0;     // 0: none
  bool serializable = false;  // answered by the one member, from what it has
  Revision revision{};        // as the keys were then; 0: as they are
};

// How single keys are written: by a put or a deletion of their own, or as the Kubernetes API server
// does it, in a transaction that compares the key's revision.
enum class WriteForm { kPlain, kKubernetes };

struct KvOptions {
  Duration call_limit = 10s;
  // No call lasts longer than until then, or it is given a second.
  TimePoint until = TimePoint::max();
  // Names the client, and so its connection, in the recording.
  std::string name = "side";
  WriteForm writes = WriteForm::kPlain;
};

class KvClient {
 public:
  KvClient(RecordingContext& context, const std::string& endpoint, const KvOptions& options = {});
  ~KvClient();

  // Sent along with every call from here on, where the target knows users.
  void SetToken(const std::string& token);

  // All return the revision of the answer's header. A write whose outcome is unknown returns the
  // error and stays in the recording as such.
  Result<Revision> Put(const std::string& key, const std::string& value, std::int64_t lease = 0);
  Result<Revision> Delete(const std::string& key, const std::string& range_end);
  Result<Revision> Transact(const std::vector<WriteOp>& writes);
  // Puts the key if its version is this one (0: it is not there), and reads it otherwise.
  Result<Revision> Swap(const std::string& key, std::int64_t version, const std::string& value);
  // Physical: answers when the revisions are gone from the target's backend.
  enum class Answer { kPhysical, kAtOnce };
  Result<Revision> Compact(Revision at, Answer answer = Answer::kPhysical);
  // What it shows is in the recording.
  Result<Revision> Read(const ReadOptions& read);
  // How many keys there are. Not recorded: nothing of it is judged.
  Result<std::int64_t> Count(const std::string& key, const std::string& range_end);
  // A linearizable read of one key; tells the current revision.
  Result<Revision> Head();

  // Returns the id, which the target chooses.
  Result<std::int64_t> Grant(std::chrono::seconds ttl);
  Result<Revision> Revoke(std::int64_t lease);
  // Whether the target still lists it. Not recorded: nothing of it is judged.
  Result<bool> HasLease(std::int64_t lease);
  // Whether a key of the range is on it. Not recorded either.
  Result<bool> HasKeysOn(std::int64_t lease, const std::string& key, const std::string& range_end);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace watchproof
