import { describe, expect, it } from "vitest";
import { missingScopes, SCOPE_DESCRIPTIONS, SCOPES } from "./scopes";

describe("scopes", () => {
  it("are the eight of the API", () => {
    expect(SCOPES).toEqual([
      "sms:send",
      "sms:bulk",
      "sms:read",
      "balance:read",
      "dlr:read",
      "senders:write",
      "keys:write",
      "webhooks:write",
    ]);
  });

  it("each have a description of their own", () => {
    expect(Object.keys(SCOPE_DESCRIPTIONS)).toEqual([...SCOPES]);
    expect(new Set(Object.values(SCOPE_DESCRIPTIONS)).size).toBe(SCOPES.length);
    for (const description of Object.values(SCOPE_DESCRIPTIONS)) expect(description).not.toBe("");
  });
});

describe("missingScopes", () => {
  it.each([
    { have: [], want: [], missing: [] },
    { have: [], want: ["sms:send"], missing: ["sms:send"] },
    { have: ["sms:send"], want: ["sms:send"], missing: [] },
    { have: ["sms:send"], want: [], missing: [] },
    {
      have: ["sms:read", "sms:send"],
      want: ["keys:write", "sms:send", "sms:bulk"],
      missing: ["keys:write", "sms:bulk"],
    },
    { have: [], want: ["sms:bulk", "sms:bulk"], missing: ["sms:bulk"] },
    // No scope implies another, and neither a wildcard nor a prefix grants anything.
    { have: ["*", "sms", "sms:*", "SMS:SEND", "sms:send "], want: ["sms:send"], missing: ["sms:send"] },
    { have: ["sms:send"], want: ["sms:bulk"], missing: ["sms:bulk"] },
  ] as const)("have $have, want $want", ({ have, want, missing }) => {
    expect(missingScopes(have, want)).toEqual(missing);
  });

  it("finds nothing missing when all scopes are granted", () => {
    expect(missingScopes(SCOPES, SCOPES)).toEqual([]);
    for (const scope of SCOPES) {
      expect(
        missingScopes(
          SCOPES.filter((other) => other !== scope),
          SCOPES,
        ),
      ).toEqual([scope]);
    }
  });
});
