// SPDX-License-Identifier: Apache-2.0
#include "harness/capture/value_hasher.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

#include <protozero/pbf_reader.hpp>

#include "harness/base/check.h"
#include "harness/base/parse.h"
#include "harness/history/wire.h"
#include "harness/history/wire_writer.h"

namespace watchproof {
namespace {

constexpr std::size_t kHashBytes = 16;

// Messages that contain values, kNone for all others.
enum class Shape : unsigned char {
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

struct Part {
  Shape in;
  std::uint32_t field;
  Shape of;
};

constexpr Part kParts[] = {
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

struct Shapes {
  Method method;
  Shape request;
  Shape response;
};

constexpr Shapes kMethods[] = {
    {Method::kPut, Shape::kPut, Shape::kPutResponse},
    {Method::kTxn, Shape::kTxn, Shape::kTxnResponse},
    {Method::kDeleteRange, Shape::kNone, Shape::kDeleteResponse},
    {Method::kRange, Shape::kNone, Shape::kRangeResponse},
};

Shapes ShapesOf(Method method) {
  for (const Shapes& shapes : kMethods) {
    if (shapes.method == method) return shapes;
  }
  return {method, Shape::kNone, Shape::kNone};
}

using Secret = std::array<unsigned char, 32>;

std::string Hash(const Secret& secret, std::string_view value) {
  if (value.empty()) return "";
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  HMAC(EVP_sha256(), secret.data(), static_cast<int>(secret.size()),
       reinterpret_cast<const unsigned char*>(value.data()), value.size(), digest.data(), &size);
  return HexOf({reinterpret_cast<const char*>(digest.data()), kHashBytes});
}

std::string Rewrite(const Secret& secret, Shape shape, std::string_view message) {
  if (shape == Shape::kNone) return std::string(message);
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
    out.Text(extent->number,
             of == Shape::kValue ? Hash(secret, content) : Rewrite(secret, of, content));
  }
  return out.bytes();
}

}  // namespace

ValueHasher::ValueHasher() {
  WP_CHECK(RAND_bytes(secret_.data(), static_cast<int>(secret_.size())) == 1,
           "random bytes for a secret");
}

std::string ValueHasher::Request(Method method, std::string_view message) const {
  return Rewrite(secret_, ShapesOf(method).request, message);
}

std::string ValueHasher::Response(Method method, std::string_view message) const {
  return Rewrite(secret_, ShapesOf(method).response, message);
}

std::string ValueHasher::WatchResponse(std::string_view message) const {
  return Rewrite(secret_, Shape::kWatchResponse, message);
}

}  // namespace watchproof
