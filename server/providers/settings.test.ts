import { expect, test, vi } from "vitest";
import { readSettings, settingFields } from "./settings";

vi.stubEnv("DATABASE_URL", "postgresql://nobody@127.0.0.1/none");
vi.stubEnv("SECRET_KEY", "0".repeat(32));

test("a setting too long for the bind of SMPP is refused by name, in octets", () => {
  const longest = {
    url: "smpp://127.0.0.1",
    systemId: "s".repeat(15),
    password: "p".repeat(8),
    systemType: "t".repeat(12),
  };
  expect(readSettings("smpp", longest)).toMatchObject(longest);
  for (const [param, value, octets] of [
    ["systemId", "s".repeat(16), 15],
    ["password", "p".repeat(9), 8],
    ["password", "pässwör", 8],
    ["systemType", "t".repeat(13), 12],
  ] as const) {
    const entered = () => readSettings("smpp", { ...longest, [param]: value });
    expect(entered).toThrow(`${param}: must have at most ${octets} octets (SMPP 3.4)`);
  }
});

test("the fields of SMPP keep their marks", () => {
  const fields = new Map(settingFields("smpp").map((field) => [field.name, field]));
  expect(fields.get("password")).toMatchObject({
    isSecret: true,
    isRequired: true,
    description: "password, at most 8 octets",
  });
  expect(fields.get("systemId")).toMatchObject({ isSecret: false, isRequired: true });
  expect(fields.get("systemType")).toMatchObject({
    isRequired: false,
    description: "system_type; most centres want none",
  });
});
