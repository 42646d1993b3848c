import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { httpProvider } from "./catalogue";
import { failureReason, OWN_REASONS } from "./failure-reason";
import { FAILURE_REASONS, PROVIDERS } from "./schema";

const refused = (code: string, detail = "No.") => ({ code, detail, isRefusal: true });
const reported = (code: string, detail = "No.") => ({ code, detail, isRefusal: false });

/** Codes with a reason in the tables of an adapter's source. */
function listedCodes(file: string): string[] {
  const rows = readFileSync(`server/providers/adapters/${file}`, "utf8").matchAll(
    /^\s+\[?"?(\w[\w-]*)"?[,:] \[.*"([a-z_]+)"\]\]?,$/gm,
  );
  return [...rows].flatMap(([, code = "", reason = ""]) =>
    (FAILURE_REASONS as readonly string[]).includes(reason) ? [code] : [],
  );
}

/** Files of a provider's second API. */
const PROVIDER_OF: Record<string, string> = { "vonage-messages": "vonage", "bird-channels": "messagebird" };

const FILES = readdirSync("server/providers/adapters").filter((file) => /^[a-z-]+\.ts$/.test(file));

describe("every code in a table of an adapter has a reason", () => {
  const tables = FILES.map((file) => ({ file, codes: listedCodes(file) })).filter(({ codes }) => codes.length > 0);

  test("in the tables of all providers over HTTP", () => {
    const providers = new Set(
      tables.map(({ file }) => PROVIDER_OF[file.replace(".ts", "")] ?? file.replace(".ts", "")),
    );
    expect([...providers].sort()).toEqual(PROVIDERS.filter((id) => httpProvider(id) !== null).toSorted());
  });

  test.each(tables)("$file", ({ file, codes }) => {
    const name = file.replace(".ts", "");
    const provider = httpProvider(PROVIDER_OF[name] ?? name);
    const without = codes.filter((code) => !provider?.reasonOf(refused(code)) && !provider?.reasonOf(reported(code)));
    expect(without).toEqual([]);
  });
});

test.each([
  ["twilio", refused("21211"), "invalid_recipient"],
  ["twilio", refused("21614"), "invalid_recipient"],
  ["twilio", refused("21610"), "opted_out"],
  ["twilio", reported("30003"), "unreachable"],
  ["twilio", reported("30007"), "blocked"],
  ["infobip", reported("27"), "unreachable"],
  ["infobip", refused("10"), "opted_out"],
  ["plivo", refused("http_202", "The recipient is not a valid number."), "invalid_recipient"],
  ["plivo", refused("http_400", "The provider refused the message."), "unknown"],
  ["bandwidth", refused("request-validation"), "invalid_recipient"],
  ["bandwidth", reported("4720"), "invalid_recipient"],
  ["messagebird", reported("103"), "opted_out"],
  ["clickatell", reported("RECIPIENT_DOES_NOT_EXIST"), "invalid_recipient"],
  ["africastalking", reported("UserInBlackList"), "opted_out"],
  ["sinch", reported("412"), "no_provider"],
  ["smpp", refused("0x0b"), "invalid_recipient"],
  ["smpp", reported("8", "The message's validity period ended."), "expired"],
  ["smpp", reported("undeliv", "The message could not be delivered."), "unknown"],
  ["sandbox", refused("invalid_recipient"), "invalid_recipient"],
  ["sandbox", reported("absent_subscriber"), "unreachable"],
] as const)("of %s %o is %s", (provider, failure, reason) => {
  expect(failureReason(provider, failure)).toBe(reason);
});

test("a number that means one thing in a response and another in a receipt has the reason of its own series", () => {
  expect(failureReason("vonage", refused("7"))).toBe("blocked");
  expect(failureReason("vonage", reported("7"))).toBe("unreachable");
  expect(failureReason("vonage", reported("15", "Part 2 of 3 was not taken. The sender is not allowed."))).toBe(
    "sender",
  );
  expect(failureReason("vonage", reported("1170"))).toBe("invalid_recipient");
  expect(failureReason("clickatell", refused("7"))).toBe("no_provider");
  expect(failureReason("clickatell", reported("7"))).toBe("unknown");
});

test("the two meanings of one code of Telnyx have two reasons", () => {
  expect(failureReason("telnyx", refused("40300", "The recipient has opted out by STOP."))).toBe("opted_out");
  expect(failureReason("telnyx", reported("40300", "The recipient cannot be reached."))).toBe("unreachable");
});

test("an unexplained code stays unknown, whatever its number means elsewhere", () => {
  const detail = "The message could not be delivered. The reason is not known.";
  expect(failureReason("infobip", reported("13", detail))).toBe("unknown");
  expect(failureReason("twilio", reported("39999"))).toBe("unknown");
  expect(failureReason("a former provider", reported("21211"))).toBe("unknown");
  for (const name of ["constructor", "__proto__", ""]) expect(failureReason("twilio", reported(name))).toBe("unknown");
});

describe("the guide to errors", () => {
  const guide = readFileSync("docs/errors.md", "utf8");
  const [, section = ""] = guide.split("## Errors of a message\n");
  const rows = (section.split("\n## ")[0] ?? "").split("\n").filter((line) => line.startsWith("|"));
  const names = (row: string, column: number) =>
    [...(row.split("|")[column] ?? "").matchAll(/`(\w+)`/g)].map(([, name]) => name ?? "");

  test("says what to do about every reason", () => {
    const [, table = ""] = guide.split("## Kinds of failures\n");
    const listed = table
      .split("\n## ")[0]
      ?.split("\n")
      .flatMap((row) => names(row, 1));
    expect(listed).toEqual([...FAILURE_REASONS]);
  });

  test("gives each code of the service's own the reason that it has", () => {
    const ofRows = rows.flatMap((row) => names(row, 1).map((code) => [code, names(row, 2)[0]] as const));
    const own = ofRows.filter(([code]) => OWN_REASONS.has(code));
    expect(Object.fromEntries(own)).toMatchObject({ flood_limit: "rate", quiet_hours: "expired" });
    for (const [code, reason] of own) expect([code, OWN_REASONS.get(code)]).toEqual([code, reason]);
  });
});
