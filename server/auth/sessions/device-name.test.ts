import { expect, test } from "vitest";
import { deviceName } from "./device-name";

test("browser and system are named, and nothing else of what the browser sends", () => {
  const firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
  const safari =
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1";
  expect(deviceName(firefox)).toBe("Firefox on Linux");
  expect(deviceName(safari)).toBe("Safari on iOS");
});

test.each([
  ["messaging-service-typescript/1.2.0 node/22.3.0", "TypeScript client 1.2.0"],
  ["shop/3 messaging-service-python/1.2.0 python/3.12.1", "Python client 1.2.0"],
  ["messaging-service-cli/1.2.0 messaging-service-typescript/1.2.0 node/22.3.0", "Command line 1.2.0"],
  ["my-messaging-service-cli/1.2.0", "Unknown device"],
  ["messaging-service-constructor/1.2.0", "Unknown device"],
])("%j is %s", (userAgent, name) => {
  expect(deviceName(userAgent)).toBe(name);
});

test("what is no browser's is an unknown device", () => {
  for (const userAgent of ["", "curl/8.5.0", "<script>", "x".repeat(10_000)]) {
    expect(deviceName(userAgent)).toBe("Unknown device");
  }
});
