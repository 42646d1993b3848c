import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { cannotTell, carriedOut, ifGone, ifHolds, isHeld, isUnknown, knownOf, triedAgain } from "./outcome";

const lost = new TypeError("Failed to fetch");
const apiError = (httpStatus: number, reason?: string) =>
  Object.assign(new Error("API"), { data: { httpStatus, message: "API", details: { reason } } });
/** A failure after which it is certain that nothing was carried out. */
const nothingDone = (reason: string) =>
  Object.assign(new Error("API"), {
    data: { httpStatus: 503, message: "API", details: { reason, carried_out: false } },
  });
const failing = (error: unknown) => async (): Promise<string> => {
  throw error;
};
/** Runs every pause of a change. @returns its result, or what it threw. */
async function endOf(change: Promise<unknown>): Promise<unknown> {
  const end = change.catch((error: unknown) => error);
  await vi.runAllTimersAsync();
  return end;
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test("a refusal is certain; a lost response or a failure on the way is not", () => {
  const unknown = [
    lost,
    apiError(500),
    apiError(503, "outcome_unknown"),
    apiError(503, "database_unavailable"),
    apiError(502),
  ];
  expect(unknown.map(isUnknown)).toEqual(unknown.map(() => true));
  const certain = [apiError(400), apiError(404), nothingDone("overloaded"), nothingDone("database_unavailable")];
  expect(certain.map(isUnknown)).toEqual(certain.map(() => false));
});

test("an error of the service differs from a lost response, a proxy's page and an unconfirmed change", () => {
  const page = Object.assign(new Error("Unexpected token '<'"), { cause: new SyntaxError("Unexpected token '<'") });
  expect([lost, page, apiError(500), apiError(503, "outcome_unknown")].map(knownOf)).toEqual([
    expect.stringContaining("could not be reached"),
    expect.stringContaining("not available at the moment"),
    expect.stringContaining("The service failed"),
    expect.stringContaining("did not confirm"),
  ]);
});

describe("a change whose response was lost", () => {
  test("was carried out if the requested values are stored", async () => {
    expect(await endOf(carriedOut(failing(lost), async () => "stored"))).toBe("stored");
  });

  test("is not called carried out while something else is stored", async () => {
    const error = await endOf(carriedOut(failing(lost), async () => undefined));
    expect(isUnknown(error)).toBe(true);
    expect(knownOf(error)).toMatch(/^The response was lost, .* differ from what you entered/);
  });

  test("is not called lost if the service responded with a failure", async () => {
    const error = await endOf(carriedOut(failing(apiError(500)), async () => undefined));
    expect(isUnknown(error)).toBe(true);
    expect(knownOf(error)).toMatch(/^The service failed, .* differ from what you entered/);
  });

  test("is checked again while the service cannot be reached, and remains unknown in the end", async () => {
    const look = vi.fn(failing(lost)).mockRejectedValueOnce(lost).mockResolvedValueOnce("stored");
    expect(await endOf(carriedOut(failing(lost), look))).toBe("stored");
    expect(await endOf(carriedOut(failing(lost), failing(lost)))).toBe(lost);
  });

  test("is checked again while the service is too busy or has no database", async () => {
    const look = vi.fn(failing(lost)).mockRejectedValueOnce(nothingDone("overloaded")).mockResolvedValueOnce("stored");
    expect(await endOf(carriedOut(failing(lost), look))).toBe("stored");
  });

  test("remains unknown where the stored values prove nothing", async () => {
    expect(await endOf(carriedOut(failing(lost), failing(apiError(403))))).toBe(lost);
    const look = vi.fn(async () => cannotTell());
    expect(await endOf(carriedOut(failing(lost), look))).toBe(lost);
    expect(look).toHaveBeenCalledOnce();
  });
});

test("stored values do not overrule a refusal", async () => {
  const look = vi.fn(async () => "stored");
  const refusal = apiError(409);
  expect(await endOf(carriedOut(failing(refusal), look))).toBe(refusal);
  expect(look).not.toHaveBeenCalled();
});

test("a refusal means that the change was already made only after a try with unknown outcome", async () => {
  const refusal = apiError(400, "second_factor_enabled");
  const other = apiError(400, "wrong_code");
  const change = vi.fn(failing(refusal));
  const tried = triedAgain(change, (error) => (error === refusal ? "enabled" : undefined));
  await expect(tried("")).rejects.toBe(refusal);
  change.mockRejectedValueOnce(lost).mockRejectedValueOnce(other);
  await expect(tried("")).rejects.toBe(lost);
  await expect(tried("")).rejects.toBe(other);
  await expect(tried("")).resolves.toBe("enabled");
});

test("nothing counts as stored before it was asked for", () => {
  expect(isHeld({ name: "Shop" }, undefined)).toBe(false);
  expect(isHeld({ name: "Shop", url: null }, { name: "Shop" })).toBe(true);
});

test("a row matches what was asked for, whatever else it has", () => {
  const row = { name: "Shop", allowed_ips: ["10.0.0.1"], limit: null, hours: { ends_at: "08:00", starts_at: "21:00" } };
  const held = { name: " Shop ", limit: null, absent: null, left: undefined, hours: { starts_at: "21:00" } };
  expect(ifHolds(row, held)).toBe(row);
  for (const other of [
    { name: "Store" },
    { allowed_ips: [] },
    { allowed_ips: ["10.0.0.1", "10.0.0.2"] },
    { limit: 0 },
    { hours: { starts_at: "22:00" } },
  ])
    expect(ifHolds(row, other)).toBeUndefined();
  expect(ifHolds(undefined, {})).toBeUndefined();
});

test("a URL matches without its tabs, as the service stores it; other texts keep theirs", () => {
  const url = "https://example.com/hooks";
  expect(isHeld({ url }, { url: " https://exam\tple.com/ho\noks" })).toBe(true);
  expect(isHeld({ url }, { url: "https://example.com/ho oks" })).toBe(false);
  expect(isHeld({ note: "ab" }, { note: "a\tb" })).toBe(false);
});

test("only a 404 proves that something is gone", async () => {
  await expect(ifGone(failing(apiError(404)), "gone")).resolves.toBe("gone");
  await expect(ifGone(async () => "there", "gone")).resolves.toBeUndefined();
  await expect(ifGone(failing(lost), "gone")).rejects.toBe(lost);
});
