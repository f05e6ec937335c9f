// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/proxy_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace watchproof {
namespace {

using proxy::ConnectionState;
using ::testing::HasSubstr;
using ::testing::Not;

std::vector<ProxyRow> Rows(int live) {
  ProxyRow row{.proxy = {.id = proxy::ProxyId(1),
                         .options = {.name = "front", .target_port = 2379},
                         .endpoint = "127.0.0.1:7000"},
               .connections = {}};
  for (int i = 1; i <= live + 1; ++i) {
    row.connections.push_back({.id = proxy::ConnectionId(i),
                               .state = i > live ? ConnectionState::kReset : ConnectionState::kOpen,
                               .client = "127.0.0.1:5000",
                               .bytes_to_client = 12345});
  }
  return {row};
}

TEST(ProxyView, ShowsLiveConnectionsWithTheirRates) {
  const RatesOf rates = {{{proxy::ProxyId(1), proxy::ConnectionId(1)}, {.to_client = 2000}}};
  const std::string text = ViewText(Rows(2), rates, {}, {.width = 200, .height = 20});
  EXPECT_THAT(text, HasSubstr("front: 127.0.0.1:7000 to 127.0.0.1:2379, 2 connections live\n"));
  EXPECT_THAT(text, HasSubstr("12,345 (      2,000/s)"));
  EXPECT_THAT(text, HasSubstr("c2"));
  EXPECT_THAT(text, Not(HasSubstr("c3")));  // it has ended
}

TEST(ProxyView, ShowsArmedEffectsAndWhatTheyDid) {
  proxy::EffectState armed{.id = proxy::EffectId(3),
                           .proxy = "front",
                           .spec = {.kind = "stall", .direction = proxy::Direction::kToClient},
                           .receipt = {.bytes_withheld = 4096, .longest_hold = 1500us}};
  proxy::EffectState healed = armed;
  healed.spec.kind = "cut";
  healed.receipt.healed_at = TimePoint{1s};
  const std::string text = ViewText({}, {}, {armed, healed}, {});
  EXPECT_EQ(text,
            "1 effect armed\n"
            "  #3 stall on front, to-client: 4,096 bytes withheld, longest hold 1.5 ms\n");
  EXPECT_EQ(ReceiptText({}), "nothing affected");
}

TEST(ProxyView, FitsTheScreen) {
  const std::string text = ViewText(Rows(50), {}, {}, {.width = 40, .height = 10});
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 10);
  EXPECT_THAT(text, HasSubstr("and 43 lines more\n"));
  std::size_t start = 0;
  for (std::size_t end = text.find('\n'); end != text.npos; end = text.find('\n', start)) {
    EXPECT_LE(end - start, 40U);
    start = end + 1;
  }
}

}  // namespace
}  // namespace watchproof
