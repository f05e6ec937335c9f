// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/disk_summary.h"

#include <fmt/ranges.h>

#include "harness/base/escape.h"
#include "harness/report/text.h"

namespace watchproof {
namespace {

std::string CountsText(const proxy::Disk& disk) {
  Table table{.head = {"files"}, .rows = {}};
  for (const std::string_view kind : proxy::kDiskCallKinds) table.head.emplace_back(kind);
  table.head.emplace_back("bytes written");
  const std::vector<proxy::DiskCounts> counts = disk.counts_by_class();
  for (std::size_t i = 0; i < counts.size(); ++i) {
    std::vector<std::string> row = {Escaped(proxy::NameOfClass(disk.classes(), i))};
    for (const std::int64_t calls : counts[i].calls) row.push_back(WithThousands(calls));
    row.push_back(WithThousands(counts[i].bytes));
    table.rows.push_back(std::move(row));
  }
  return PlainTable(table);
}

std::string ReceiptLine(const proxy::DiskEffectState& effect) {
  const proxy::DiskReceipt& receipt = effect.receipt;
  std::string line = fmt::format("{}: it affected {} of {} such calls", effect.spec.kind,
                                 WithThousands(receipt.affected), WithThousands(receipt.covered));
  if (receipt.longest_hold > Duration()) {
    const std::chrono::duration<double> longest = receipt.longest_hold;
    line += fmt::format(", the longest for {}", FormatSeconds(longest.count()));
  }
  if (receipt.affected > 0) line += ", the last one the " + Escaped(receipt.last);
  return line + "\n";
}

}  // namespace

std::string DiskSummary(const proxy::Disk& disk) {
  std::string text = CountsText(disk);
  for (const proxy::DiskEffectState& effect : disk.Effects()) text += ReceiptLine(effect);
  if (const auto at = disk.killed_at()) text += fmt::format("killed at the {}\n", Escaped(*at));
  for (const std::string& name : disk.unseen()) {
    text += fmt::format(
        "not seen: what was written to {} through a mapping, or through a descriptor that "
        "the program numbered itself\n",
        Escaped(name));
  }
  return text;
}

std::string LossText(const proxy::Loss& loss) {
  if (loss.nothing()) return "power failure: nothing was lost, since everything was synced\n";
  std::string text =
      fmt::format("power failure: lost, since not synced: {}, {}, {}\n",
                  Count(static_cast<std::size_t>(loss.writes), "write"),
                  Count(static_cast<std::size_t>(loss.bytes), "byte"),
                  loss.entries == 1 ? "1 entry" : fmt::format("{} entries", loss.entries));
  for (const std::string& line : loss.lines) text += "  " + Escaped(line) + "\n";
  return text;
}

}  // namespace watchproof
