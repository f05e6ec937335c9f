// SPDX-License-Identifier: Apache-2.0
// The consumer of an attempt: its process, and what comes and goes on its streams of watches.
//
//   WP_ASSIGN_OR_RETURN(auto link, ConsumerLink::Start(environment, recorder, setup));
//   WP_RETURN_IF_ERROR(link->process().Ask({.what = "open"}));
//   link->Stop();
//
// It has two ways to the store: the proxied path, and the direct path to the second member, or to
// the first one if there is no other. Its streams are recorded as those of a client on that path,
// as they come out of it; what its layers report is recorded as annotations. Threads: the io thread
// and that of the process record; all else is for the case thread. Ownership: refers to the
// recording, to which nothing is added after Stop; Stop is idempotent and waits.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "harness/consumers/consumer_process.h"
#include "harness/environment/environment.h"
#include "harness/history/recorder.h"

namespace watchproof {

// Every key of a case that a consumer follows is below it: those of Events in Kubernetes, in one
// namespace.
inline constexpr std::string_view kConsumerPrefix = "/registry/events/watched/";
// What the key holds: below the prefix an Event with the text in it, elsewhere the text alone.
std::string ConsumerValue(std::string_view key, std::string text);

struct ConsumerSetup {
  std::string name;                  // as given
  std::vector<std::string> layers;   // from the store up
  std::vector<std::string> command;  // empty: there is none
};

class ConsumerLink {
 public:
  static Result<std::unique_ptr<ConsumerLink>> Start(Environment& environment, Recorder& recorder,
                                                     const ConsumerSetup& setup,
                                                     const std::filesystem::path& folder);
  ~ConsumerLink() { Stop(); }

  ConsumerProcess& process() { return *process_; }
  // Requires: Stop was not called.
  bool asked_and_answered() const { return process_->answered() == asked_; }
  Status Ask(const ConsumerRequest& request);
  // Why something that passed on the wire is not in the recording; empty: everything is.
  std::string unread() const;
  // Its watches end from here on because it does.
  void Stop();

 private:
  class Observer;
  ConsumerLink() = default;

  std::vector<std::shared_ptr<Observer>> observers_;  // with the proxies
  std::unique_ptr<ConsumerProcess> process_;
  int asked_ = 1;  // to start
};

}  // namespace watchproof
