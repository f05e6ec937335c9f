// SPDX-License-Identifier: Apache-2.0
// Stands in for libFuzzer where the compiler has none: runs a fuzz target over the files named, or
// over 1000 made-up inputs, always the same. Not thread-safe: it is a process of its own.
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <random>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

constexpr int kInputs = 1000;
constexpr int kLongest = 400;

void Run(const std::string& input) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
}

}  // namespace

int main(int count, char** words) {
  for (int i = 1; i < count; ++i) {
    std::ifstream file(words[i], std::ios::binary);
    Run(std::string(std::istreambuf_iterator<char>(file), {}));
  }
  if (count > 1) return 0;
  // The engine's numbers are the same everywhere; distributions are not, so none is used.
  std::mt19937 engine(1);
  for (int i = 0; i < kInputs; ++i) {
    std::string input(engine() % kLongest, '\0');
    for (char& byte : input) byte = static_cast<char>(engine());
    Run(input);
  }
  std::printf("%d inputs\n", kInputs);
  return 0;
}
