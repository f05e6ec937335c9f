// SPDX-License-Identifier: Apache-2.0
// node validate_ctrf.mjs FILE...: with the validator of the format's own project.
import { readFileSync } from "node:fs";
import { validate } from "ctrf";

for (const file of process.argv.slice(2)) {
  const result = validate(JSON.parse(readFileSync(file, "utf8")));
  if (!result.valid) {
    console.error(`${file}: ${JSON.stringify(result.errors.slice(0, 5), null, 1)}`);
    process.exitCode = 1;
  }
}
