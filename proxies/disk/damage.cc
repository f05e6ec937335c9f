// SPDX-License-Identifier: Apache-2.0
#include "proxies/disk/damage.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <optional>
#include <set>
#include <vector>

#include "harness/base/prng.h"

namespace watchproof::proxy {
namespace {

constexpr std::uintmax_t kMostBytes = 256 << 20;
constexpr std::size_t kMostNamed = 8;  // flipped bits, in words
constexpr std::int64_t kBlankSector = 512;
constexpr std::int64_t kBlankPage = 4096;
// The tail that is cut off is at most the content, or a half, a quarter, ... of it: so that short
// tails are as frequent as long ones.
constexpr std::uint64_t kHalvings = 12;

Status CannotChange(const std::filesystem::path& path) {
  return Fail(StatusCode::kInternal, "{}: cannot be read or written", path.string());
}

// Without the zeros at its end.
Result<std::string> ContentOf(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) return CannotChange(path);
  std::string content(static_cast<std::size_t>(file.tellg()), '\0');
  file.seekg(0);
  file.read(content.data(), static_cast<std::streamsize>(content.size()));
  if (!file) return CannotChange(path);
  return content.substr(0, content.find_last_not_of('\0') + 1);  // npos + 1 is 0
}

struct Candidate {
  std::filesystem::file_time_type written;
  std::filesystem::path path;
  std::string name;  // below the folder
  auto operator<=>(const Candidate&) const = default;
};

// Those that the patterns cover, the latest first.
Result<std::vector<Candidate>> Candidates(const DamageOptions& options) {
  WP_ASSIGN_OR_RETURN(const std::string patterns, PatternsOf(options.classes, options.files));
  std::vector<Candidate> found;
  std::error_code error;
  std::filesystem::recursive_directory_iterator entry(options.folder, error);
  for (; !error && entry != std::filesystem::recursive_directory_iterator();
       entry.increment(error)) {
    const std::string name = entry->path().lexically_relative(options.folder).string();
    if (!entry->is_regular_file() || !Covers(patterns, name)) continue;
    if (entry->file_size() > kMostBytes) continue;
    found.push_back({entry->last_write_time(), entry->path(), name});
  }
  if (error) return FromErrorCode(error).WithContext("{}", options.folder.string());
  std::ranges::sort(found, std::greater<>());
  return found;
}

std::string Flip(const std::string& name, std::string& content, std::int64_t bits, Prng prng) {
  const std::uint64_t all = content.size() * 8;
  std::set<std::uint64_t> drawn;
  while (drawn.size() < std::min(static_cast<std::uint64_t>(bits), all)) {
    drawn.insert(prng.Below(all));
  }
  std::vector<std::string> changes;
  for (const std::uint64_t bit : drawn) {
    const auto before = static_cast<unsigned char>(content[bit / 8]);
    const auto after = static_cast<unsigned char>(before ^ (1U << bit % 8));
    content[bit / 8] = static_cast<char>(after);
    changes.push_back(fmt::format("{} (0x{:02x} is 0x{:02x})", bit / 8, before, after));
  }
  const bool more = changes.size() > kMostNamed;
  if (more) changes.resize(kMostNamed);
  return fmt::format("{} bits of {} are flipped, at offsets {}{}", drawn.size(), name,
                     fmt::join(changes, ", "), more ? ", and more" : "");
}

// The sector or page, of those that are not zero as a whole.
std::string Blank(const std::string& name, std::string& content, Prng prng) {
  const std::int64_t unit = prng.Chance(0.5) ? kBlankSector : kBlankPage;
  const auto size = static_cast<std::int64_t>(content.size());
  std::vector<std::int64_t> places;
  for (std::int64_t at = 0; at < size; at += unit) {
    const auto first = content.begin() + at;
    const auto last = content.begin() + std::min(at + unit, size);
    if (std::any_of(first, last, [](char byte) { return byte != 0; })) places.push_back(at);
  }
  const std::int64_t at = prng.Pick(places);
  const std::int64_t end = std::min(at + unit, size);
  std::fill(content.begin() + at, content.begin() + end, '\0');
  return fmt::format("bytes {} to {} of {} are zero", at, end - 1, name);
}

std::int64_t TailOf(std::int64_t content, Prng prng) {
  const auto halvings = static_cast<int>(prng.Below(kHalvings));
  return prng.Between(1, std::max<std::int64_t>(1, content >> halvings));
}

// The file gets the given size, with zeros behind the content.
Status WriteWhole(const std::filesystem::path& path, const std::string& content,
                  std::int64_t size) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(content.data(), static_cast<std::streamsize>(content.size()));
  file.close();
  if (!file) return CannotChange(path);
  std::error_code error;
  std::filesystem::resize_file(path, static_cast<std::uintmax_t>(size), error);
  return error ? FromErrorCode(error).WithContext("{}", path.string()) : Status();
}

// Changes the content, and the size, and says how.
void Change(const DamageOptions& options, const std::string& name, Damage& damage,
            std::string& content, std::int64_t& size) {
  const Prng prng(options.seed);
  const auto before = static_cast<std::int64_t>(content.size());
  if (options.how == DamageHow::kTail) {
    damage.bytes = TailOf(before, prng.Fork("tail"));
    size = before - damage.bytes;
    content.resize(static_cast<std::size_t>(size));
    damage.text = fmt::format("the last {} of {} bytes of {} are gone", damage.bytes, before, name);
    return;
  }
  damage.text = options.how == DamageHow::kBits
                    ? Flip(name, content, options.bits, prng.Fork("bits"))
                    : Blank(name, content, prng.Fork("zero"));
  for (std::size_t i = 0; i < content.size(); ++i) damage.bytes += content[i] != damage.content[i];
}

}  // namespace

Result<Damage> DamageFile(const DamageOptions& options) {
  WP_ASSIGN_OR_RETURN(const std::vector<Candidate> candidates, Candidates(options));
  for (const Candidate& one : candidates) {
    Damage damage{.path = one.path};
    WP_ASSIGN_OR_RETURN(damage.content, ContentOf(one.path));
    if (damage.content.empty()) continue;
    damage.size = static_cast<std::int64_t>(std::filesystem::file_size(one.path));
    std::string content = damage.content;
    std::int64_t size = damage.size;
    Change(options, one.name, damage, content, size);
    WP_RETURN_IF_ERROR(WriteWhole(one.path, content, size));
    return damage;
  }
  return Fail(StatusCode::kNotFound, "no file with content of at most {} MiB is called {}",
              kMostBytes >> 20, options.files);
}

Status PutBack(const Damage& damage) {
  return WriteWhole(damage.path, damage.content, damage.size);
}

}  // namespace watchproof::proxy
