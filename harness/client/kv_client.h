// SPDX-License-Identifier: Apache-2.0
// Writes, reads, compactions and leases; each call is recorded with its request and its answer
// before it is judged.
//
//   KvClient kv(recorder, "127.0.0.1:2379");
//   WP_ASSIGN_OR_RETURN(Revision revision, kv.Put("k", "v"));
//
// Threads: any once the token is set; a call blocks its caller until the answer or its time limit.
// Ownership: refers to the recorder.
#pragma once

#include <atomic>
#include <map>
#include <string>
#include <vector>

#include "harness/base/mutex.h"
#include "harness/client/call_client.h"
#include "harness/history/requests.h"

namespace watchproof {

// How single keys are written: by a put or a deletion of their own, or as the Kubernetes API server
// does it, in a transaction that compares the key's revision.
enum class WriteForm { kPlain, kKubernetes };

struct KvOptions {
  CallLimits limits{};
  // Names the client, and so its connection, in the recording.
  std::string name = "direct";
  WriteForm writes = WriteForm::kPlain;
  Connection connection = {};  // to share; empty: one of its own, to the endpoint
};

class KvClient {
 public:
  KvClient(Recorder& recorder, const std::string& endpoint, const KvOptions& options = {});

  // Sent with every call from here on, for targets with authentication enabled.
  void SetToken(const std::string& token) { calls_.SetToken(token); }
  const std::string& token() const { return calls_.token(); }

  // All return the revision of the answer's header. A write with an unknown outcome returns the
  // error and stays in the recording as such.
  Result<Revision> Put(const std::string& key, const std::string& value, std::int64_t lease = 0);
  Result<Revision> Delete(const std::string& key, const std::string& range_end);
  // A put or a deletion with what the two above leave out.
  Result<Revision> Write(const PutRequest& put) { return Call(Method::kPut, ToMessage(put)); }
  Result<Revision> Write(const DeleteRequest& deletion) {
    return Call(Method::kDeleteRange, ToMessage(deletion));
  }
  Result<Revision> Transact(const TxnRequest& txn) { return Call(Method::kTxn, ToMessage(txn)); }
  // Any of these.
  Result<Revision> Send(const KvRequest& request);
  // Any call, of operators too, with the whole answer.
  Result<Bytes> Record(Method method, const Message& request);
  // Puts the key if its version is this one (0: it is not there), and reads it otherwise.
  Result<Revision> Swap(const std::string& key, std::int64_t version, const std::string& value);
  // Physical: answers when the revisions are gone from the target's backend.
  enum class Answer { kPhysical, kAtOnce };
  Result<Revision> Compact(Revision at, Answer answer = Answer::kPhysical);
  // The answer is in the recording.
  Result<Revision> Read(const ReadRequest& read) { return Call(Method::kRange, ToMessage(read)); }
  // The same, answered in parts.
  Result<Revision> ReadInParts(const ReadRequest& read);
  // The same, with the whole answer.
  Result<Bytes> ReadWhole(const ReadRequest& read) {
    return Record(Method::kRange, ToMessage(read));
  }
  // The answer is thrown away, and neither recorded nor judged: it may be large.
  Result<Revision> ReadUnjudged(const ReadRequest& read);
  // The number of keys. Not recorded, because it is not judged.
  Result<std::int64_t> Count(const std::string& key, const std::string& range_end);
  // At which the key was created; -1: it is not there. Recorded.
  Result<std::int64_t> CreateRevision(const std::string& key);
  // A linearizable read of one key; returns the current revision.
  Result<Revision> Head();

  // Returns the id, which the target chooses if it is 0 here.
  Result<std::int64_t> Grant(std::chrono::seconds ttl, std::int64_t id = 0);
  Result<Revision> Revoke(std::int64_t lease);
  // Its time begins anew. kNotFound: it has ended.
  Status KeepAlive(std::int64_t lease);
  // Asks for all leases; for the time that is left of one, and its keys. The answers are in the
  // recording.
  Status ListLeases();
  Status TimeToLive(std::int64_t lease);
  // How long the lease still lasts; negative: it has ended. Not recorded, because it is not judged.
  Result<std::chrono::seconds> TimeLeft(std::int64_t lease);
  // Whether the target still lists the lease. Not recorded either.
  Result<bool> HasLease(std::int64_t lease);
  // Whether a key of the range is on it. Not recorded either.
  Result<bool> HasKeysOn(std::int64_t lease, const std::string& key, const std::string& range_end);

 private:
  // Returns the revision of the answer's header.
  Result<Revision> Call(Method method, const Message& request);
  // With what a single key is changed by.
  Result<Revision> WriteAsKubernetes(const std::string& key, const KvRequest& change, bool deletes);
  Result<std::int64_t> ReadRevision(const std::string& key);
  std::int64_t KnownRevision(const std::string& key);
  void Remember(const std::string& key, std::int64_t revision);

  Recorder& recorder_;
  const KvOptions options_;
  CallClient calls_;
  std::atomic<std::int64_t> latest_ = 0;  // of the store, as of the last read of a key
  Mutex mu_;
  std::map<std::string, std::int64_t> revisions_ GUARDED_BY(mu_);  // of keys; 0: not there
};

}  // namespace watchproof
