// SPDX-License-Identifier: Apache-2.0
// A proxy, a client and its target, for tests of what effects do to real connections.
//
//   class Stall : public ProxiedPair {};
//   TEST_F(Stall, ...) { OpenPair(); const EffectId stall = Arm({.kind = "stall"}); ... }
//
// Threads: as TestPeer.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>

#include "proxies/control/proxy_handle.h"
#include "proxies/control/test_peers.h"

namespace watchproof::proxy {

class ProxiedPair : public ::testing::Test {
 protected:
  explicit ProxiedPair(std::uint64_t seed = 0) { front_ = Open(seed); }
  ProxyId Open(std::uint64_t seed) {
    Result<ProxyId> opened =
        proxies_.Open({.name = "front", .target_port = server_.port(), .seed = seed});
    EXPECT_TRUE(opened.has_value());
    return opened.value_or(ProxyId());
  }
  void OpenPair() {
    ASSERT_TRUE(ConnectPair(proxies_.endpoint(front_), server_, client_, target_));
  }
  EffectId Arm(const EffectSpec& spec) {
    Result<EffectId> armed = proxies_.Arm(front_, spec);
    EXPECT_TRUE(armed.has_value()) << armed.error().message();
    return armed.value_or(EffectId());
  }
  Receipt Heal(EffectId effect) { return proxies_.Heal(effect).value(); }

  TestServer server_;
  Proxies proxies_;
  ProxyId front_;
  TestPeer client_{-1};
  TestPeer target_{-1};
};

}  // namespace watchproof::proxy
