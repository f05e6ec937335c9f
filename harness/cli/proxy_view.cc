// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/proxy_view.h"

#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string_view>

#include "harness/report/text.h"

namespace watchproof {
namespace {

constexpr std::string_view kOtherScreen = "\x1b[?1049h\x1b[?25l";
constexpr std::string_view kFirstScreen = "\x1b[?25h\x1b[?1049l";
constexpr std::string_view kFromTheTop = "\x1b[H";
constexpr std::string_view kRestOfLine = "\x1b[K\n";
constexpr std::string_view kRestOfScreen = "\x1b[J";

std::string EffectLine(const proxy::EffectState& effect) {
  return fmt::format("  #{} {} on {}, {}{}: {}", effect.id, effect.spec.kind, effect.proxy,
                     proxy::Name(effect.spec.direction), effect.receipt.healed_at ? ", healed" : "",
                     ReceiptText(effect.receipt));
}

std::string ConnectionLine(const proxy::ConnectionInfo& info, const Rates& rates) {
  return fmt::format(
      "  c{:<5} {:<22} {:<9} to the target {:>15} ({:>11}/s)   to the client {:>15} "
      "({:>11}/s)",
      info.id, info.client, proxy::Name(info.state), WithThousands(info.bytes_to_target),
      WithThousands(static_cast<std::int64_t>(rates.to_target)),
      WithThousands(info.bytes_to_client),
      WithThousands(static_cast<std::int64_t>(rates.to_client)));
}

}  // namespace

std::string ReceiptText(const proxy::Receipt& receipt) {
  std::vector<std::string> parts;
  for (const proxy::ReceiptCount& one : proxy::kReceiptCounts) {
    if (receipt.*one.count == 0) continue;
    std::string name = one.name;
    std::ranges::replace(name, '_', ' ');
    parts.push_back(fmt::format("{} {}", WithThousands(receipt.*one.count), name));
  }
  if (parts.empty()) return "nothing affected";
  if (receipt.longest_hold > Duration::zero()) {
    parts.push_back(
        fmt::format("longest hold {:.1f} ms",
                    std::chrono::duration<double, std::milli>(receipt.longest_hold).count()));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string ViewText(const std::vector<ProxyRow>& rows, const RatesOf& rates,
                     const std::vector<proxy::EffectState>& effects, ScreenSize size) {
  std::vector<std::string> lines;
  for (const proxy::EffectState& effect : effects) {
    if (!effect.receipt.healed_at) lines.push_back(EffectLine(effect));
  }
  lines.insert(lines.begin(), Count(lines.size(), "effect") + " armed");
  for (const auto& [proxy, connections] : rows) {
    const auto live =
        std::ranges::count_if(connections, [](const auto& one) { return one.live(); });
    lines.push_back(fmt::format("{}: {} to {}:{}, {} live", proxy.options.name, proxy.endpoint,
                                proxy.options.target_host, proxy.options.target_port,
                                Count(static_cast<std::size_t>(live), "connection")));
    for (const proxy::ConnectionInfo& info : connections) {
      if (!info.live()) continue;
      const auto rate = rates.find({proxy.id, info.id});
      lines.push_back(ConnectionLine(info, rate == rates.end() ? Rates() : rate->second));
    }
  }
  if (lines.size() > size.height) {
    const std::size_t more = lines.size() - size.height + 1;
    lines.resize(size.height - std::min<std::size_t>(1, size.height));
    lines.push_back(fmt::format("  and {}", Count(more, "line") + " more"));
  }
  std::string text;
  for (const std::string& line : lines) {
    text += ShortenEnd(CleanText(line), size.width, Charset::kAscii) + "\n";
  }
  return text;
}

ProxyView::ProxyView(proxy::Proxies& proxies, std::string title)
    : proxies_(proxies), title_(std::move(title)), drawn_at_(Clock::now()) {
  fmt::print("{}", kOtherScreen);
}

ProxyView::~ProxyView() {
  fmt::print("{}", kFirstScreen);
  std::fflush(stdout);
}

RatesOf ProxyView::Compare(const std::vector<ProxyRow>& rows) {
  const TimePoint now = Clock::now();
  const double seconds = std::max(1e-3, std::chrono::duration<double>(now - drawn_at_).count());
  drawn_at_ = now;
  RatesOf rates;
  decltype(seen_) seen;
  for (const auto& [proxy, connections] : rows) {
    for (const proxy::ConnectionInfo& info : connections) {
      if (!info.live()) continue;
      const std::pair key(proxy.id, info.id);
      seen[key] = {.to_target = info.bytes_to_target, .to_client = info.bytes_to_client};
      const auto before = seen_.find(key);
      if (before == seen_.end()) continue;
      rates[key] = {
          .to_target =
              static_cast<double>(info.bytes_to_target - before->second.to_target) / seconds,
          .to_client =
              static_cast<double>(info.bytes_to_client - before->second.to_client) / seconds};
    }
  }
  seen_ = std::move(seen);
  return rates;
}

void ProxyView::Draw() {
  std::vector<ProxyRow> rows;
  for (const proxy::ProxyInfo& one : proxies_.List()) {
    rows.push_back({.proxy = one, .connections = proxies_.Connections(one.id)});
  }
  ScreenSize size = SizeOfScreen(STDOUT_FILENO);
  const std::string title = ShortenEnd(title_, size.width, Charset::kAscii);
  size.height -= std::min<std::size_t>(2, size.height);  // the title, and where the cursor rests
  std::string screen = title + "\n" + ViewText(rows, Compare(rows), proxies_.Effects(), size);
  std::string drawn(kFromTheTop);
  for (const char c : screen) {
    if (c == '\n') {
      drawn += kRestOfLine;
    } else {
      drawn += c;
    }
  }
  fmt::print("{}{}", drawn, kRestOfScreen);
  std::fflush(stdout);
}

}  // namespace watchproof
