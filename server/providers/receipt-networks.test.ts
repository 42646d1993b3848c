import { expect, test } from "vitest";

Object.assign(process.env, { DATABASE_URL: "postgresql://unused", SECRET_KEY: "0".repeat(40) });
const { isCallbackAllowed } = await import("./receipt-networks");
const { readSettings, settingFields } = await import("./settings");
const { PROVIDERS } = await import("./schema");

const CLICKATELL = { apiKey: "key" };

test("every provider with callbacks has the setting; if it is empty, callbacks may come from anywhere", () => {
  const withSetting = PROVIDERS.filter((id) => settingFields(id).some(({ name }) => name === "receiptNetworks"));
  expect(withSetting).toEqual(PROVIDERS.filter((id) => id !== "smpp" && id !== "sandbox"));
  expect(settingFields("clickatell").find(({ name }) => name === "receiptNetworks")).toMatchObject({
    environment: "CLICKATELL_RECEIPT_NETWORKS",
    isRequired: false,
    isSecret: false,
  });
  for (const address of ["203.0.113.7", "2001:db8::1", ""]) {
    expect(isCallbackAllowed(readSettings("clickatell", CLICKATELL), address)).toBe(true);
  }
});

test("with it, they come from these networks only", () => {
  const settings = readSettings("clickatell", {
    ...CLICKATELL,
    receiptNetworks: "203.0.113.0/24, 198.51.100.7 2001:db8::/32",
  });
  for (const address of ["203.0.113.255", "198.51.100.7", "::ffff:198.51.100.7", "2001:db8::1"]) {
    expect(isCallbackAllowed(settings, address), address).toBe(true);
  }
  for (const address of ["203.0.114.1", "198.51.100.8", "2001:db9::1", "", "nobody"]) {
    expect(isCallbackAllowed(settings, address), address).toBe(false);
  }
});

test.each(["everybody", "203.0.113.0/33", "203.0.113", "1.2.3.4;5.6.7.8"])("%s is not a network", (text) => {
  const read = () => readSettings("clickatell", { ...CLICKATELL, receiptNetworks: text });
  expect(read).toThrow(expect.objectContaining({ status: 400 }));
  expect(read).toThrow(/receiptNetworks/);
});
