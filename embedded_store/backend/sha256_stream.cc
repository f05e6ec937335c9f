// SPDX-License-Identifier: Apache-2.0
#include "embedded_store/backend/sha256_stream.h"

#include <openssl/evp.h>

#include "harness/base/check.h"

namespace watchproof::store {

struct Sha256Stream::Context {
  EVP_MD_CTX* digest = EVP_MD_CTX_new();
  ~Context() { EVP_MD_CTX_free(digest); }
};

Sha256Stream::Sha256Stream() : context_(std::make_unique<Context>()) {
  WP_CHECK(EVP_DigestInit_ex(context_->digest, EVP_sha256(), nullptr) == 1, "OpenSSL has SHA-256");
}
Sha256Stream::~Sha256Stream() = default;

void Sha256Stream::Add(std::string_view bytes) {
  EVP_DigestUpdate(context_->digest, bytes.data(), bytes.size());
}

std::string Sha256Stream::Finish() {
  std::string digest(kBytes, '\0');
  EVP_DigestFinal_ex(context_->digest, reinterpret_cast<unsigned char*>(digest.data()), nullptr);
  return digest;
}

}  // namespace watchproof::store
