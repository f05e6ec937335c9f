// SPDX-License-Identifier: Apache-2.0
// Watches that begin elsewhere than requested.
#include <algorithm>
#include <map>

#include "ci/fakes/behaviour.h"
#include "ci/fakes/creates.h"
#include "harness/base/mutex.h"

namespace watchproof::fakes {
namespace {

bool Contains(const WatchCreateRequest& create, const std::string& key) {
  const std::string& end = create.range_end();
  if (end.empty()) return key == create.key();
  return key >= create.key() && (end == std::string(1, '\0') || key < end);
}

// The latest put of each key, which a watch that begins behind it misses.
class Puts {
 public:
  void Learn(const std::string& method, const std::string& request, const std::string& response) {
    etcdserverpb::PutRequest put;
    etcdserverpb::PutResponse answer;
    if (method != "/etcdserverpb.KV/Put" || !put.ParseFromString(request) ||
        !answer.ParseFromString(response)) {
      return;
    }
    MutexLock lock(mu_);
    std::int64_t& latest = latest_[put.key()];
    latest = std::max(latest, answer.header().revision());
  }
  // Whether one is between the requested start and the actual one.
  bool MissedBy(const WatchCreateRequest& create, std::int64_t began) const {
    MutexLock lock(mu_);
    return std::any_of(latest_.begin(), latest_.end(), [&](const auto& put) {
      return put.second >= create.start_revision() && put.second <= began &&
             Contains(create, put.first);
    });
  }

 private:
  mutable Mutex mu_;
  std::map<std::string, std::int64_t> latest_ GUARDED_BY(mu_);
};

class StartsNow final : public WatchTamper {
 public:
  explicit StartsNow(const Puts& puts) : puts_(puts) {}

 private:
  void Asked(WatchRequest& request, Wire& wire) override {
    if (request.has_create_request()) {
      creates_.Asked(request.create_request());
      request.mutable_create_request()->set_start_revision(0);
    }
    wire.ToStore(request);
  }
  void Answered(WatchResponse& response, Wire& wire) override {
    if (response.created()) {
      const WatchCreateRequest create = creates_.Answered(response);
      const bool asked = create.start_revision() > 0;
      if (asked && puts_.MissedBy(create, response.header().revision())) {
        wire.Tampered("ignored a start revision");
      }
    }
    const auto open = creates_.open().find(response.watch_id());
    for (const auto& event : response.events()) {
      const bool early = open != creates_.open().end() &&
                         event.kv().mod_revision() < open->second.start_revision();
      if (early) wire.Tampered("ignored a start in the future");
    }
    wire.ToClient(response);
  }

  const Puts& puts_;
  Creates creates_;
};

const BehaviourRegistration kIgnoresStart(
    {.name = "ignores-start",
     .explain = "Starts every watch at the current revision, whatever it asked for.",
     .guarantees = {"Reliable"}},
    EachStreamWith<StartsNow, Puts>);

}  // namespace
}  // namespace watchproof::fakes
