// SPDX-License-Identifier: Apache-2.0
#include "harness/checkers/testing/call_load.h"

#include <map>
#include <optional>
#include <string>

#include "harness/base/prng.h"
#include "harness/checkers/testing/call_script.h"

namespace watchproof {
namespace {

constexpr std::size_t kLongestRange = 10;

// The effect of a call on the store, and its answer.
struct Action {
  Method method = Method::kRange;
  Message request;
  std::string key;
  std::string range_end;  // of a range
  std::string value;
  std::int64_t version = 0;  // of the compare of a transaction
  bool serializable = false;
};

class Store {
 public:
  explicit Store(CallScript& script, bool control) : script_(script), control_watch_(control) {}

  Message Apply(const Action& action) {
    switch (action.method) {
      case Method::kPut: {
        const auto before = Get(action.key);
        Put(action.key, action.value);
        return before ? ReportedPrevious(revision_, *before) : Reported(revision_);
      }
      case Method::kDeleteRange:
        return Deleted(revision_ + (live_.contains(action.key) ? 1 : 0), Delete(action.key));
      case Method::kTxn:
        return Swap(action);
      default:
        return Range(action);
    }
  }
  Message Range(const Action& action) const {
    std::vector<KeyValueFields> kvs;
    std::int64_t count = 0;
    for (auto at = live_.lower_bound(action.key); at != live_.end(); ++at, ++count) {
      if (at->first >= action.range_end) break;
      if (kvs.size() < kLongestRange) kvs.push_back(at->second);
    }
    return Shown(revision_, kvs, count, count > static_cast<std::int64_t>(kLongestRange));
  }

 private:
  std::optional<KeyValueFields> Get(const std::string& key) const {
    const auto found = live_.find(key);
    return found == live_.end() ? std::nullopt : std::optional(found->second);
  }
  void Put(const std::string& key, const std::string& value) {
    ++revision_;
    KeyValueFields& kv = live_[key];
    kv = Kv(key, value, revision_, kv.version == 0 ? revision_ : kv.create, kv.version + 1);
    if (control_watch_) script_.Sees(kv);
  }
  std::int64_t Delete(const std::string& key) {
    if (live_.erase(key) == 0) return 0;
    ++revision_;
    if (control_watch_) script_.Sees(Kv(key, "", revision_, 0, 0), true);
    return 1;
  }
  // Puts the key if it has the given version, reads it otherwise.
  Message Swap(const Action& action) {
    const auto before = Get(action.key);
    if ((before ? before->version : 0) == action.version) {
      Put(action.key, action.value);
      return Decided(revision_, true, {Part(Method::kPut, Message())});
    }
    std::vector<KeyValueFields> kvs;
    if (before) kvs.push_back(*before);
    return Decided(revision_, false, {Part(Method::kRange, Shown(revision_, kvs))});
  }

  CallScript& script_;
  const bool control_watch_;
  std::int64_t revision_ = 1;
  std::map<std::string, KeyValueFields> live_;
};

class Load {
 public:
  explicit Load(const CallLoad& load) : load_(load), prng_(load.seed), clients_(load.clients) {
    if (load_.control) script_.OpenControlWatch();
  }

  // Each client begins, has its turn at the store, is answered, and begins again.
  std::vector<NumberedEntry> Run() {
    for (std::size_t ended = 0; ended < load_.calls;) {
      const std::size_t index = prng_.Below(clients_.size());
      Client& client = clients_[index];
      if (client.phase == 0) {
        Begin(index, client);
      } else if (client.phase == 1) {
        if (!client.stale) client.answer = store_.Apply(client.action);
      } else {
        End(client);
        ++ended;
      }
      client.phase = (client.phase + 1) % 3;
      if (!late_.empty() && prng_.Chance(0.01)) {
        store_.Apply(late_.back());
        late_.pop_back();
      }
    }
    return script_.lines();
  }

 private:
  struct Client {
    int phase = 0;
    std::uint32_t call = 0;
    Action action;
    bool stale = false;  // answered from what was there when it began
    Message answer;
  };

  Action Choose() {
    Action action{.key = "k" + std::to_string(prng_.Below(load_.keys)),
                  .value = std::to_string(++values_)};
    const std::uint64_t kind = prng_.Below(100);
    if (kind < 45) {
      action.method = Method::kPut;
      action.request = PutOver(action.key, action.value);
    } else if (kind < 55) {
      action.method = Method::kDeleteRange;
      action.request = DeleteOf(action.key);
    } else if (kind < 70) {
      action.method = Method::kTxn;
      action.version = static_cast<std::int64_t>(prng_.Below(3));
      action.request = TxnOf{.compares = {VersionIs(action.key, action.version)},
                             .success = {Part(Method::kPut, PutOf(action.key, action.value))},
                             .failure = {Part(Method::kRange, GetOf(action.key))}}
                           .message();
    } else {
      // The keys that begin alike.
      action.key = action.key.substr(0, 3);
      action.range_end = action.key + ":";
      action.serializable = kind < 85;
      action.request = GetOf(action.key, {.range_end = action.range_end,
                                          .limit = kLongestRange,
                                          .serializable = action.serializable});
    }
    return action;
  }

  void Begin(std::size_t index, Client& client) {
    client.action = Choose();
    client.call = ++calls_;
    script_.As("c" + std::to_string(index))
        .Begin(client.call, client.action.method, client.action.request);
    client.stale = client.action.serializable;
    if (client.stale) client.answer = store_.Range(client.action);
    client.stale = client.stale || Loses(client);
  }
  bool Loses(Client& client) {
    if (client.action.method == Method::kRange || !prng_.Chance(load_.unknown)) return false;
    client.answer = Message();
    if (prng_.Chance(0.5)) late_.push_back(client.action);
    return true;
  }
  void End(const Client& client) {
    if (client.answer.bytes().empty()) {
      script_.Fail(client.call, client.action.method);
    } else {
      script_.End(client.call, client.action.method, client.answer);
    }
  }

  const CallLoad load_;
  Prng prng_;
  CallScript script_;
  Store store_{script_, load_.control};
  std::vector<Client> clients_;
  std::vector<Action> late_;  // lost, and still to take effect
  std::uint32_t calls_ = 0;
  std::uint64_t values_ = 0;
};

}  // namespace

std::vector<NumberedEntry> MakeCallLoad(const CallLoad& load) { return Load(load).Run(); }

}  // namespace watchproof
