/** The Python client, tested by Python itself where it is installed. */
import { execFile, spawnSync } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const hasPython = spawnSync("python3", ["-c", "import sys; sys.exit(sys.version_info < (3, 9))"]).status === 0;

test.runIf(hasPython)("the Python client's tests pass", async () => {
  const options = {
    cwd: path.join(import.meta.dirname, "python"),
    env: { ...process.env, PYTHONDONTWRITEBYTECODE: "1" },
  };
  const { stderr } = await promisify(execFile)("python3", ["-m", "unittest", "messaging_service_test"], options);
  expect(stderr).toMatch(/^Ran \d+ tests/m);
  expect(stderr).toMatch(/^OK$/m);
});
