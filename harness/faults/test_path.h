// SPDX-License-Identifier: Apache-2.0
// A proxied path with a real proxy, and fake evidence that a test sets.
//
//   class SomeFault : public TestPath {};
//   TEST_F(SomeFault, TakesEffect) {
//     OpenPair();
//     auto fault = Make("close");
//     fault->Arm(ports_);  ...
//   }
//
// Not thread-safe.
#pragma once

#include <gtest/gtest.h>

#include "harness/faults/fault.h"
#include "proxies/control/test_peers.h"

namespace watchproof {

class TestPath : public ::testing::Test {
 protected:
  explicit TestPath(bool ours = true) {
    ports_.proxies = &proxies_;
    ports_.path =
        proxies_.Open({.name = "path", .target_port = server_.port(), .self_test = ours}).value();
    ports_.now = [this] { return now_ += 1ms; };
    ports_.silence = [this] { return silence_; };
    ports_.closed_streams = [this] { return closed_; };
    ports_.last_closed = [this] { return last_closed_; };
    ports_.metric = [this](std::string_view) { return gauge_; };
    ports_.bytes_arrived = [this] { return arrived_; };
    ports_.call_by_proxied_path = [this](Deadline) {
      now_ += call_takes_;
      return call_;
    };
  }
  void OpenPair() {
    ASSERT_TRUE(proxy::ConnectPair(proxies_.endpoint(ports_.path), server_, client_, target_));
  }
  static std::unique_ptr<Fault> Make(const std::string& name,
                                     const FaultParameters& parameters = {}) {
    auto made = MakeFault(name, parameters);
    EXPECT_TRUE(made.has_value()) << made.error().message();
    return std::move(made).value();
  }
  bool TookEffect(Fault& fault) {
    fault.Observe(ports_);
    return fault.took_effect();
  }
  bool EventuallyTakesEffect(Fault& fault) {
    return proxy::Eventually([&] { return TookEffect(fault); });
  }
  // Waits until the proxy has counted at least so many.
  bool EventuallyMeasured(Fault& fault, const std::string& what, std::int64_t at_least) {
    return proxy::Eventually([&] {
      fault.Observe(ports_);
      return fault.receipt().measured.at(what) >= at_least;
    });
  }

  proxy::TestServer server_;
  proxy::Proxies proxies_;
  FaultPorts ports_;
  proxy::TestPeer client_{-1};
  proxy::TestPeer target_{-1};
  Duration now_ = 1h;
  Duration silence_{};
  Duration last_closed_{};
  Duration call_takes_ = 1ms;
  Status call_;
  std::int64_t closed_ = 0;
  std::optional<double> gauge_;
  std::vector<std::int64_t> arrived_;
};

}  // namespace watchproof
