import { afterEach, expect, test, vi } from "vitest";
import * as logger from "../../core/log";
import { logConsole } from "./console-lines";

const output = console;
const own = { ...output };

afterEach(() => {
  Object.assign(output, own);
  vi.restoreAllMocks();
});

test("what is written to the console becomes lines of the log, in one line each and without colors", () => {
  const logged = vi.spyOn(logger, "log").mockReturnValue(undefined);
  logConsole();
  output.log(" \u001b[32m✓\u001b[39m %s", "Ready");
  output.error(" ⨯", new Error("The page failed."));
  output.warn("");
  expect(logged.mock.calls).toEqual([
    ["debug", "pages.output", { text: "✓ Ready" }],
    ["error", "pages.output", { text: expect.stringMatching(/^⨯ Error: The page failed\.\n +at /) }],
  ]);
});
