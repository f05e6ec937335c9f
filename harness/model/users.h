// SPDX-License-Identifier: Apache-2.0
// The users and roles of a store: what a recording states of them, and what its calls have changed
// since. Judges the calls that are about them. And whether there is authentication by them.
//
//   users.State(rights);                       // once for each user that there is
//   if (const auto why = users.WhyRefused(call)) ... "there is no user x" ...
//   if (const auto wrong = users.WrongAnswer(call)) ... *wrong ...
//   users.Follow(call);
//
// Threads: not thread-safe. Source: etcd's auth service, as its API documents it and as all its
// releases answer.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "harness/history/annotation.h"
#include "harness/model/calls.h"

namespace watchproof {

class Users {
 public:
  // Its roles are there, too, and one that is not root has the ranges.
  void State(const UserRights& rights);
  // A change that is not stated yet, or of which the outcome is not certain: nothing is known until
  // the user's rights are stated, or never.
  void BeUnsure(const std::string& user) { unsure_.insert(user); }
  void LoseTrack() { lost_ = true; }
  // Whether it is known what there is. Each store with users has a user root.
  bool known() const { return users_.contains("root") && unsure_.empty() && !lost_; }

  // Requires: known(). Whatever its user may do. Empty: there is no reason, or it is about no user.
  std::optional<std::string> WhyRefused(const RecordedCall& call) const;
  // Requires: known(), and the call was answered. What the answer should have been; empty: what it
  // is, or what is not judged.
  std::optional<std::string> WrongAnswer(const RecordedCall& call) const;
  // Requires: the call asks for a token. Whether its password is known to be that of its user.
  bool HasPassword(const RecordedCall& call) const;
  // In the order of their ends.
  void Follow(const RecordedCall& call);

 private:
  using Range = std::pair<std::string, std::string>;  // a key, and an end
  using Permitted = std::map<Range, std::int64_t>;    // as its type of the API

  std::optional<std::string> WrongPermissions(const RecordedCall& call) const;
  std::optional<std::string> WhyNoToken(const std::string& name, const std::string& password) const;
  std::optional<std::string> WhyNoGrant(Method method, const std::string& name,
                                        const std::string& second) const;

  std::map<std::string, std::set<std::string>> users_;  // with their roles
  std::map<std::string, Permitted> roles_;              // with what they permit
  // Where it is known; empty: the user has none.
  std::map<std::string, std::optional<std::string>> passwords_;
  std::set<std::string> unsure_;
  bool lost_ = false;
};

// Whether authentication is enabled in a recording that states users: until a call disables it.
class Authentication {
 public:
  enum class State { kEnabled, kDisabled, kUnsure };
  // All through a call that has ended. The log has those that have not.
  State During(const RecordedCall& call, const CallLog& log) const;
  // In the order of their ends.
  void Follow(const RecordedCall& call);

 private:
  State state_ = State::kEnabled;
  Line changed_{};     // where a change of it ended last
  bool lost_ = false;  // one without a certain outcome may come to pass later
};

// Whether a call is about users and roles.
bool IsOfUsers(Method method);

}  // namespace watchproof
