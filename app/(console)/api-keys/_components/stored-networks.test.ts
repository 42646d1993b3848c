import { expect, test } from "vitest";
import { parseAllowedIp } from "@/server/api-keys/allowed-ip";
import { storedNetworks } from "./stored-networks";

test("entries are spelled as the service stores them", () => {
  const entries = ["203.0.113.7", "10.1.2.3/8", "203.0.113.7/31", "255.255.255.255/1", "198.51.100.9/32", "1.2.3.4/0"];
  expect(storedNetworks(entries)).toEqual(
    entries.map((entry) => {
      const parsed = parseAllowedIp(entry);
      return parsed.ok && parsed.value;
    }),
  );
});

test("a network that is entered in two spellings is stored once", () => {
  expect(storedNetworks(["10.1.2.3/8", "10.0.0.0/8"])).toEqual(["10.0.0.0/8"]);
  expect(storedNetworks(null)).toBeNull();
});
