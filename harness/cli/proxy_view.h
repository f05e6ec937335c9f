// SPDX-License-Identifier: Apache-2.0
// A live view of the proxies on a terminal: connections with their rates, and effects with what
// they did so far.
//
//   ProxyView view(proxies, "listening on ...");
//   while (!signals.WaitFor(ProxyView::kRefresh)) view.Draw();
//
// Requires: IsDrawable(STDOUT_FILENO). Uses the terminal's other screen and leaves it when
// destroyed. Not thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/deadline.h"
#include "harness/runs/standard_output.h"
#include "proxies/control/proxy_handle.h"

namespace watchproof {

// One proxy as it is shown.
struct ProxyRow {
  proxy::ProxyInfo proxy;
  std::vector<proxy::ConnectionInfo> connections;
};
// Bytes per second of a connection, to the target and to the client.
struct Rates {
  double to_target = 0;
  double to_client = 0;
};
using RatesOf = std::map<std::pair<proxy::ProxyId, proxy::ConnectionId>, Rates>;

// "4 bytes withheld, 1 connections touched"; counts of zero are left out.
std::string ReceiptText(const proxy::Receipt& receipt);
// At most as many lines, and none wider, than the screen has room for. Effects come first: they are
// few, and what one looks for.
std::string ViewText(const std::vector<ProxyRow>& rows, const RatesOf& rates,
                     const std::vector<proxy::EffectState>& effects, ScreenSize size);

class ProxyView {
 public:
  static constexpr Duration kRefresh = 500ms;

  ProxyView(proxy::Proxies& proxies, std::string title);
  ~ProxyView();
  ProxyView(const ProxyView&) = delete;
  ProxyView& operator=(const ProxyView&) = delete;

  void Draw();

 private:
  struct Seen {
    std::int64_t to_target = 0;
    std::int64_t to_client = 0;
  };
  RatesOf Compare(const std::vector<ProxyRow>& rows);

  proxy::Proxies& proxies_;
  const std::string title_;
  std::map<std::pair<proxy::ProxyId, proxy::ConnectionId>, Seen> seen_;
  TimePoint drawn_at_;
};

}  // namespace watchproof
