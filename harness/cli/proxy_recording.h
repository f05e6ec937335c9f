// SPDX-License-Identifier: Apache-2.0
// `proxy --record`: its flags, and what they set up beside the proxy.
//
//   WP_ASSIGN_OR_RETURN(auto recording, ProxyRecording::Open(flags));
//   options.observer = recording->observer();
//   recording->WatchThrough(endpoint);       // once the proxy listens
//   ...
//   recording->StopWatching();  proxies.Stop();  CommandEnd end = recording->Finish();
//
// Not thread-safe. Ownership: outlives the proxies.
#pragma once

#include <memory>
#include <string>

#include "harness/base/mutex.h"
#include "harness/base/status.h"
#include "harness/capture/capture.h"
#include "harness/client/standing_watch.h"
#include "harness/runs/exit_code.h"

namespace watchproof {

struct RecordFlags {
  std::string folder;  // empty: nothing is recorded
  std::string limit = "1GiB";
  bool hash_values = false;
  std::string control_watch;  // a prefix, or "all"; empty: none
  // The user of the control watch; empty: none.
  std::string user;
  std::string password_file;
};

class ProxyRecording {
 public:
  // Errors name the flag.
  static Result<std::unique_ptr<ProxyRecording>> Open(const RecordFlags& flags);

  std::shared_ptr<proxy::ByteObserver> observer() { return capture_; }
  // Opens the control watch, if it is wanted, as a client of the proxy, which records it like any.
  // The error is that its user cannot log in. That the server refuses the watch is said at once
  // and by Finish.
  Status WatchThrough(const std::string& endpoint);
  void StopWatching() { watch_.reset(); }
  // Closes the recording and prints what is in it. Requires: the proxy has stopped.
  CommandEnd Finish();

 private:
  ProxyRecording(RecordFlags flags, std::shared_ptr<Capture> capture)
      : flags_(std::move(flags)), capture_(std::move(capture)) {}

  const RecordFlags flags_;
  const std::shared_ptr<Capture> capture_;  // with the proxy
  Mutex refusing_;
  std::string refused_ GUARDED_BY(refusing_);  // the control watch, and why; empty: it was not
  std::unique_ptr<StandingWatch> watch_;
};

}  // namespace watchproof
