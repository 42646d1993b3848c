import { expect, test } from "vitest";
import { passkeySite } from "./site";

test.each([
  ["https://sms.example.com", { rpId: "sms.example.com", origin: "https://sms.example.com" }],
  ["https://sms.example.com:8443/below", { rpId: "sms.example.com", origin: "https://sms.example.com:8443" }],
  ["http://localhost:3000", { rpId: "localhost", origin: "http://localhost:3000" }],
  ["http://sms.localhost", { rpId: "sms.localhost", origin: "http://sms.localhost" }],
  ["http://127.0.0.1:3000", { rpId: "localhost", origin: "http://localhost:3000" }],
  ["http://[::1]:3000", { rpId: "localhost", origin: "http://localhost:3000" }],
])("passkeys of %s belong to its host", (address, site) => {
  expect(passkeySite(address)).toEqual(site);
});

test.each(["http://sms.example.com", "https://192.0.2.7", "http://10.0.0.4:3000", "https://[2001:db8::1]"])(
  "browsers allow no passkeys at %s",
  (address) => {
    expect(passkeySite(address)).toBeNull();
  },
);
