/** Tests that adapters follow their providers' settings, even with calls under way. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { accept, openCentre } from "@/test/carriers/smsc-scripted";
import { newOperator } from "@/test/database/seed";
import { pool } from "../core/db";
import type { SendOutcome } from "./port";
import { activeAdapters, invalidateProviders, providerTable } from "./registry";
import { clearSettings, saveSettings } from "./stored-settings";

const operator = newOperator();

let centre: Awaited<ReturnType<typeof openCentre>>;
/** Responds to a submit_sm that the centre has taken. */
let answers: Array<() => void>;

beforeEach(async () => {
  answers = [];
  centre = await openCentre((...submit) => answers.push(() => accept(...submit)));
});
afterEach(async () => {
  await clearSettings(operator, { id: "smpp" });
  await providerTable();
  await centre.close();
});

const save = (window: string) =>
  saveSettings(operator, { id: "smpp", settings: { url: centre.url, systemId: "we", password: "secret", window } });

async function send(): Promise<SendOutcome> {
  const adapter = (await providerTable()).openAdapter("smpp");
  if (!adapter) throw new Error("There is no adapter.");
  const message = {
    id: "msg_1",
    to: "+491511234567",
    from: "Shop",
    body: "hi",
    encoding: "GSM-7",
    segments: 1,
  } as const;
  return adapter.send({ message, reference: "msg_1-1", receiptUrl: "http://127.0.0.1/receipts" });
}

test("changed settings take effect at once, and submits on the old bind get their response there", async () => {
  await save("5");
  const first = send();
  await expect.poll(() => answers.length).toBe(1);
  await save("7");
  const second = send();
  await expect.poll(() => answers.length).toBe(2);
  expect(centre.binds).toHaveLength(2);
  expect((await providerTable()).openAdapter("smpp")?.maxInFlight).toBe(7);
  expect(centre.commands).not.toContain("unbind");

  answers[0]?.();
  expect(await first).toMatchObject({ kind: "accepted", providerMessageIds: ["a1"] });
  await expect.poll(() => centre.times("unbind")).toBe(1);
  answers[1]?.();
  expect(await second).toMatchObject({ kind: "accepted", providerMessageIds: ["a2"] });
});

test("cleared settings end the bind after its responses, and an older table does not reopen it", async () => {
  await save("5");
  const before = await providerTable();
  const sent = send();
  await expect.poll(() => answers.length).toBe(1);
  await clearSettings(operator, { id: "smpp" });
  expect((await providerTable()).openAdapter("smpp")).toBeNull();
  expect(activeAdapters().has("smpp")).toBe(false);
  expect(before.openAdapter("smpp")).toBeNull();

  answers[0]?.();
  expect(await sent).toMatchObject({ kind: "accepted", providerMessageIds: ["a1"] });
  await expect.poll(() => centre.times("unbind")).toBe(1);
  expect(before.openAdapter("smpp")).toBeNull();
  expect(centre.binds).toHaveLength(1);
});

test("settings that another process cleared end the bind as soon as the table is read again", async () => {
  await save("5");
  const sent = send();
  await expect.poll(() => answers.length).toBe(1);
  answers[0]?.();
  await sent;
  await pool().query("UPDATE providers SET settings_sealed = NULL WHERE id = 'smpp'");
  await expect.poll(async () => (await providerTable()).isRoutable("smpp")).toBe(false);
  await expect.poll(() => centre.times("unbind")).toBe(1);
  expect(activeAdapters().has("smpp")).toBe(false);
});

/** Holds back the result of the next read of the providers until `work` is done, which begins once the database has answered. */
async function duringRead(work: () => Promise<void>) {
  let begin: () => void = () => undefined;
  const answered = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const done = answered.then(work);
  const connections = pool();
  const query = connections.query.bind(connections) as (...args: unknown[]) => Promise<unknown>;
  const spy = vi.spyOn(connections, "query").mockImplementation((async (...args: unknown[]) => {
    if ((args[0] as { name?: string }).name !== "providers.all") return query(...args);
    spy.mockRestore();
    const result = await query(...args);
    begin();
    await done;
    return result;
  }) as never);
  return providerTable();
}

test("settings that were read before a change do not replace the changed ones, however late the read ends", async () => {
  await save("5");
  invalidateProviders();
  const windowOf = async () => (await providerTable()).openAdapter("smpp")?.maxInFlight;
  const older = await duringRead(async () => {
    await save("7");
    expect(await windowOf()).toBe(7);
  });
  expect(older.openAdapter("smpp")?.maxInFlight).toBe(7);
  expect(await windowOf()).toBe(7);
});
