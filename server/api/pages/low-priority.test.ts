import { execFile } from "node:child_process";
import os from "node:os";
import { promisify } from "node:util";
import { expect, test } from "vitest";

/** The niceness of a separate process after a call. */
async function nicenessAfter(call: string): Promise<number> {
  const program = `import os from "node:os";
    import { lowerPriority } from "./server/api/pages/low-priority.ts";
    ${call};
    console.log(os.getPriority());`;
  const args = ["--import", "tsx", "--input-type=module", "-e", program];
  return Number((await promisify(execFile)(process.execPath, args)).stdout);
}

test("the pages process lowers its priority as configured, and not at all with 0", async () => {
  expect(await nicenessAfter("lowerPriority(19)")).toBe(19);
  expect(await nicenessAfter("lowerPriority(0)")).toBe(os.getPriority());
});
