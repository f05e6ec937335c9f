// SPDX-License-Identifier: Apache-2.0
#include "ci/fakes/behaviour.h"

#include <algorithm>
#include <utility>

namespace watchproof::fakes {
namespace {

std::vector<RegisteredBehaviour>& Registry() {
  static std::vector<RegisteredBehaviour> registry;
  return registry;
}

// Null: the messages of this direction pass unchanged.
struct Changes {
  void (*request)(WatchRequest& request, Wire& wire) = nullptr;
  void (*answer)(WatchResponse& response, Wire& wire) = nullptr;
};

class Changer final : public WatchTamper {
 public:
  explicit Changer(const Changes& changes) : changes_(changes) {}
  void Asked(WatchRequest& request, Wire& wire) override {
    if (changes_.request == nullptr) return WatchTamper::Asked(request, wire);
    changes_.request(request, wire);
  }
  void Answered(WatchResponse& response, Wire& wire) override {
    if (changes_.answer == nullptr) return WatchTamper::Answered(response, wire);
    changes_.answer(response, wire);
  }

 private:
  const Changes changes_;
};

class ChangesEach final : public Behaviour {
 public:
  explicit ChangesEach(const Changes& changes) : changes_(changes) {}
  std::unique_ptr<WatchTamper> NewStream() override { return std::make_unique<Changer>(changes_); }

 private:
  const Changes changes_;
};

}  // namespace

BehaviourFactory EachRequest(void (*change)(WatchRequest& request, Wire& wire)) {
  return [change] { return std::make_unique<ChangesEach>(Changes{.request = change}); };
}
BehaviourFactory EachAnswer(void (*change)(WatchResponse& response, Wire& wire)) {
  return [change] { return std::make_unique<ChangesEach>(Changes{.answer = change}); };
}

std::string Behaviour::Asked(const std::string&, std::string&) { return {}; }
void Behaviour::Answered(const std::string&, const std::string&, const std::string&) {}
std::string Behaviour::Changed(const std::string&, std::string&) { return {}; }

BehaviourRegistration::BehaviourRegistration(BehaviourInfo info, BehaviourFactory make) {
  Registry().push_back({std::move(info), std::move(make)});
}

std::vector<RegisteredBehaviour> AllBehaviours() {
  std::vector<RegisteredBehaviour> all = Registry();
  std::sort(all.begin(), all.end(),
            [](const auto& a, const auto& b) { return a.info.name < b.info.name; });
  return all;
}

}  // namespace watchproof::fakes
