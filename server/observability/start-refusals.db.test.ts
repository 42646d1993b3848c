import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { expect, inject, test } from "vitest";
import { runProgram } from "@/test/commands";

type Program = "web" | "worker" | "migrate";

/** Starts a program, which is to end with one line. */
const start = (program: Program, cwd: string, env: Record<string, string> = {}) =>
  runProgram([inject("programs")[program]], {
    cwd,
    env: {
      DATABASE_URL: process.env.DATABASE_URL ?? "",
      SECRET_KEY: "0123456789abcdef0123456789abcdef",
      CONSOLE: "false",
      LOG_LEVEL: "error",
      ...env,
    },
  });

test.each<Program>(["web", "worker", "migrate"])(
  "%s names the folder in which it was started, if that is not the one of the installation",
  async (program) => {
    const { code, output } = await start(program, tmpdir());
    expect(code).toBe(1);
    expect(output).toMatch(/^.*The migrations of this version cannot be read .*: start the program in the folder of /);
    expect(output.trim()).not.toContain("\n");
  },
  60_000,
);

test("a web process names the settings of an address that it cannot open", async () => {
  const other = createServer().listen(0, "127.0.0.1");
  await once(other, "listening");
  const { port } = other.address() as AddressInfo;
  const { code, output } = await start("web", ".", { PORT: String(port) });
  other.close();
  expect({ code, output }).toEqual({
    code: 1,
    output: expect.stringMatching(
      /^web could not start: The address of HOST and PORT cannot be opened \(listen EADDRINUSE.*\): correct HOST or PORT, or end the program that uses the port\.\n$/,
    ),
  });
});
