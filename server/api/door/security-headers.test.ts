import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { scriptHashes } from "./security-headers";

const hashOf = (script: string): string => `'sha256-${createHash("sha256").update(script).digest("base64")}'`;

test("each inline script of a page is named once by its exact text; scripts from files are not", () => {
  const html =
    '<script src="/a.js" async=""></script><script data-x="1">one\n  two</script><p></p><script>three</script><script>three</script><script></script>';
  expect(scriptHashes(html)).toEqual([hashOf("one\n  two"), hashOf("three"), hashOf("")]);
});
