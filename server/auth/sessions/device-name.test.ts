import { expect, test } from "vitest";
import { deviceName } from "./device-name";

test("browser and system are named, and nothing else of what the browser sends", () => {
  const firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
  const safari =
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1";
  expect(deviceName(firefox)).toBe("Firefox on Linux");
  expect(deviceName(safari)).toBe("Safari on iOS");
});

test("what is no browser's is an unknown device", () => {
  for (const userAgent of ["", "curl/8.5.0", "<script>", "x".repeat(10_000)]) {
    expect(deviceName(userAgent)).toBe("Unknown device");
  }
});
