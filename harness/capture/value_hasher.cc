// SPDX-License-Identifier: Apache-2.0
#include "harness/capture/value_hasher.h"

#include <fmt/format.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

#include <protozero/pbf_reader.hpp>

#include "harness/base/check.h"
#include "harness/history/wire.h"
#include "harness/history/wire_writer.h"

namespace watchproof {
namespace {

constexpr std::size_t kHashBytes = 16;

}  // namespace

// Messages that contain values, kNone for all others.
enum class ValueHasher::Shape : unsigned char {
  kNone,
  kValue,  // the field itself
  kKeyValue,
  kEvent,
  kWatchResponse,
  kPut,
  kPutResponse,
  kDeleteResponse,
  kRangeResponse,
  kCompare,
  kTxn,
  kTxnResponse,
  kRequestOp,
  kResponseOp,
};

struct ValueHasher::Part {
  Shape in;
  std::uint32_t field;
  Shape of;
};

const ValueHasher::Part ValueHasher::kParts[] = {
    {Shape::kKeyValue, 5, Shape::kValue},
    {Shape::kEvent, 2, Shape::kKeyValue},
    {Shape::kEvent, 3, Shape::kKeyValue},
    {Shape::kWatchResponse, 11, Shape::kEvent},
    {Shape::kPut, 2, Shape::kValue},
    {Shape::kPutResponse, 2, Shape::kKeyValue},
    {Shape::kDeleteResponse, 3, Shape::kKeyValue},
    {Shape::kRangeResponse, 2, Shape::kKeyValue},
    {Shape::kCompare, 7, Shape::kValue},
    {Shape::kTxn, 1, Shape::kCompare},
    {Shape::kTxn, 2, Shape::kRequestOp},
    {Shape::kTxn, 3, Shape::kRequestOp},
    {Shape::kTxnResponse, 3, Shape::kResponseOp},
    {Shape::kRequestOp, 2, Shape::kPut},
    {Shape::kRequestOp, 4, Shape::kTxn},
    {Shape::kResponseOp, 1, Shape::kRangeResponse},
    {Shape::kResponseOp, 2, Shape::kPutResponse},
    {Shape::kResponseOp, 3, Shape::kDeleteResponse},
    {Shape::kResponseOp, 4, Shape::kTxnResponse},
};

ValueHasher::ValueHasher() {
  WP_CHECK(RAND_bytes(secret_.data(), static_cast<int>(secret_.size())) == 1,
           "random bytes for a secret");
}

std::string ValueHasher::Request(Method method, std::string_view message) const {
  if (method == Method::kPut) return Rewrite(Shape::kPut, message);
  if (method == Method::kTxn) return Rewrite(Shape::kTxn, message);
  return std::string(message);
}

std::string ValueHasher::Response(Method method, std::string_view message) const {
  switch (method) {
    case Method::kPut:
      return Rewrite(Shape::kPutResponse, message);
    case Method::kTxn:
      return Rewrite(Shape::kTxnResponse, message);
    case Method::kDeleteRange:
      return Rewrite(Shape::kDeleteResponse, message);
    case Method::kRange:
      return Rewrite(Shape::kRangeResponse, message);
    default:
      return std::string(message);
  }
}

std::string ValueHasher::WatchResponse(std::string_view message) const {
  return Rewrite(Shape::kWatchResponse, message);
}

std::string ValueHasher::Hash(std::string_view value) const {
  if (value.empty()) return "";
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  HMAC(EVP_sha256(), secret_.data(), static_cast<int>(secret_.size()),
       reinterpret_cast<const unsigned char*>(value.data()), value.size(), digest.data(), &size);
  std::string text;
  for (std::size_t i = 0; i < kHashBytes; ++i) text += fmt::format("{:02x}", digest[i]);
  return text;
}

std::string ValueHasher::Rewrite(Shape shape, std::string_view message) const {
  Message out;
  while (const auto extent = FirstField(message)) {
    const std::string_view field = message.substr(0, extent->size);
    message.remove_prefix(extent->size);
    Shape of = Shape::kNone;
    for (const Part& part : kParts) {
      if (part.in == shape && part.field == extent->number) of = part.of;
    }
    protozero::pbf_reader reader(field.data(), field.size());
    reader.next();
    if (of == Shape::kNone || !reader.has_wire_type(protozero::pbf_wire_type::length_delimited)) {
      out.Raw(field);
      continue;
    }
    const protozero::data_view view = reader.get_view();
    const std::string_view content(view.data(), view.size());
    out.Text(extent->number, of == Shape::kValue ? Hash(content) : Rewrite(of, content));
  }
  return out.bytes();
}

}  // namespace watchproof
