// SPDX-License-Identifier: Apache-2.0
#include "harness/results/attempt_spec.h"

#include <charconv>

#include "harness/base/prng.h"
#include "harness/history/json_fields.h"

namespace watchproof {
namespace {

// A permutation of the numbers of 32 bits: the last step of MurmurHash3.
std::uint32_t Scramble(std::uint32_t number) {
  number ^= number >> 16;
  number *= 0x85ebca6bU;
  number ^= number >> 13;
  number *= 0xc2b2ae35U;
  return number ^ (number >> 16);
}

}  // namespace

std::string FormatSeed(std::uint64_t seed) { return fmt::format("0x{:x}", seed); }

Result<std::uint64_t> ParseSeed(std::string_view text) {
  const bool hex = text.starts_with("0x") || text.starts_with("0X");
  const std::string_view digits = hex ? text.substr(2) : text;
  std::uint64_t seed = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), seed, hex ? 16 : 10);
  if (error == std::errc::result_out_of_range) {
    return Fail(StatusCode::kOutOfRange, "seed '{}' does not fit into 64 bits", text);
  }
  if (error != std::errc() || end != digits.data() + digits.size()) {
    return Fail(StatusCode::kInvalidArgument,
                "seed '{}' is not a number; expected hexadecimal as in 0x51e9c2, or decimal", text);
  }
  return seed;
}

std::uint64_t SeedOfAttempt(std::uint64_t seed, int attempt) {
  if (attempt == 1) return seed;
  // 32 bits, so that the number is short. A hash of the attempt would meet itself after some ten
  // thousand: shards would try the same plan twice.
  const auto key = static_cast<std::uint32_t>(Prng(seed).Next());
  const auto nth = [key](int n) {
    return std::uint64_t{Scramble(Scramble(static_cast<std::uint32_t>(n)) ^ key)};
  };
  return nth(attempt) == seed ? nth(1) : nth(attempt);
}

std::uint64_t SeedOfTry(std::uint64_t seed, int number) {
  if (number == 1) return seed;
  // 32 bits, so that the number is short.
  return static_cast<std::uint32_t>(Prng(seed).Fork(fmt::format("try/{}", number)).Next());
}

void Fields(auto& field, ServerAccess& access) {
  field("ca", access.ca);
  field("certificate", access.certificate);
  field("key", access.key);
  field("user", access.user);
  field("password_file", access.password_file);
}

void Fields(auto& field, AttemptSpec& spec) {
  field.Required("case", spec.case_name);
  field.Required("target", spec.target);
  std::string seed = FormatSeed(spec.seed);
  field.Required("seed", seed);
  spec.seed = ParseSeed(seed).value_or(0);
  field("attempt", spec.attempt);
  field("folder", spec.folder);
  field("plan", spec.plan);
  field("given_plan", spec.given_plan);
  field("result_descriptor", spec.result_descriptor);
  field("time_limit_ms", spec.time_limit_ms);
  field("turns", spec.turns);
  field("tries", spec.tries);
  field("slowdown", spec.slowdown);
  field("bypass_proxy", spec.bypass_proxy);
  field("no_faults", spec.no_faults);
  field("stop_at_finding", spec.stop_at_finding);
  field("faults", spec.faults);
  field("allow_disruptive", spec.allow_disruptive);
  field("missing", spec.missing);
  field("profile", spec.profile);
  field("access", spec.access);
  field("prefix", spec.prefix);
  field("consumer_layers", spec.consumer_layers);
  field("consumer_can", spec.consumer_can);
  field("consumer_command", spec.consumer_command);
  field("consumer_missing", spec.consumer_missing);
}

std::string ToJson(const AttemptSpec& spec) { return DumpJson(spec); }

Result<AttemptSpec> ParseAttemptSpec(std::string_view text) {
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) {
    return Fail(StatusCode::kInvalidArgument, "not an attempt: expected one JSON object");
  }
  AttemptSpec spec;
  if (const auto wrong = ReadFields(json, spec)) {
    return Fail(StatusCode::kInvalidArgument,
                "not an attempt: the field {} is missing or does not fit", *wrong);
  }
  WP_ASSIGN_OR_RETURN(spec.seed, ParseSeed(json.at("seed").get<std::string>()));
  return spec;
}

}  // namespace watchproof
