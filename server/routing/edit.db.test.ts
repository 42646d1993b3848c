import { beforeEach, expect, test } from "vitest";
import { makeAccount, newOperator, personOf } from "@/test/database/seed";
import { prisma } from "../core/db";
import { drainProvider } from "../providers/service";
import { saveSettings } from "../providers/stored-settings";
import { createRoute, deleteRoute, listRoutes, updateRoute } from "./edit";
import { CreateRouteInput, UpdateRouteInput } from "./schema";
import { simulateRoute } from "./simulate";

const operator = newOperator();

const make = (input: object) =>
  createRoute(operator, CreateRouteInput.parse({ chain: ["sandbox"], price: 0.01, ...input }));

beforeEach(async () => {
  await prisma().route.deleteMany();
});

test("everyone but operators is refused everything, with a session and with a key", async () => {
  const { actor, accountId } = await makeAccount();
  const session = personOf({ accountId });
  const refused = { status: 403, wire: { details: { reason: "not_an_operator" } } };
  const { id } = await make({});
  for (const somebody of [actor, session]) {
    const input = CreateRouteInput.parse({ chain: ["sandbox"], price: 1 });
    await expect(listRoutes(somebody)).rejects.toMatchObject(refused);
    await expect(createRoute(somebody, input)).rejects.toMatchObject(refused);
    await expect(updateRoute(somebody, { id, price: 1 })).rejects.toMatchObject(refused);
    await expect(deleteRoute(somebody, { id })).rejects.toMatchObject(refused);
    await expect(simulateRoute(somebody, { to: "+14155550123" })).rejects.toMatchObject(refused);
  }
  expect((await listRoutes(operator)).map(({ price }) => price)).toEqual([0.01]);
});

test("a route is made once with an Idempotency-Key", async () => {
  const input = CreateRouteInput.parse({ prefix: "49", chain: ["sandbox"], price: 0.01 });
  const asked = () => ({ idempotency: () => ({ key: "k", requestHash: "hash" }), responseHeaders: {} });
  const person = { ...personOf(await makeAccount()), isOperator: true };
  const made = await createRoute(person, input, asked());
  expect(await createRoute(person, input, asked())).toEqual(made);
  expect(await listRoutes(operator)).toEqual([made]);
});

test("a route is created as entered, changed in the given fields, and deleted", async () => {
  const made = await make({ prefix: "49", price: 0.070_001, chain: ["smpp", "sandbox"], priority: 3 });
  expect(made).toMatchObject({ prefix: "49", priority: 3, price: 0.070_001, weight: 100, is_active: true });
  const changed = await updateRoute(operator, { id: made.id, chain: ["sandbox", "smpp"], is_active: false });
  expect(changed).toEqual({ ...made, chain: ["sandbox", "smpp"], is_active: false });
  expect(await updateRoute(operator, { id: made.id, price: 0 })).toMatchObject({ price: 0, prefix: "49" });
  await deleteRoute(operator, { id: made.id });
  expect(await listRoutes(operator)).toEqual([]);
  for (const operation of [
    () => deleteRoute(operator, { id: made.id }),
    () => updateRoute(operator, { id: made.id }),
  ]) {
    await expect(operation()).rejects.toMatchObject({ status: 404 });
  }
});

test("an invalid route is refused by the name of its field", () => {
  const right = { prefix: "1", chain: ["sandbox"], price: 0.01 };
  for (const [wrong, field] of [
    [{ prefix: "+1" }, "prefix"],
    [{ chain: [] }, "chain"],
    [{ chain: ["sandbox", "pigeon"] }, "chain"],
    [{ chain: ["sandbox", "sandbox"] }, "chain"],
    [{ price: -0.01 }, "price"],
    [{ price: 0.000_000_1 }, "price"],
    [{ weight: 0 }, "weight"],
    [{ weight: 1_001 }, "weight"],
    [{ priority: 0.5 }, "priority"],
  ] as const) {
    const parsed = CreateRouteInput.safeParse({ ...right, ...wrong });
    expect(parsed.error?.issues[0]?.path[0]).toBe(field);
    expect(UpdateRouteInput.safeParse({ id: 1, ...wrong }).success).toBe(false);
  }
});

test("every price of six decimals is stored unchanged", () => {
  for (const price of [0, 0.000_001, 0.1, 0.3, 0.012_345, 0.999_999, 1.005, 123.456_789, 1_000]) {
    expect(CreateRouteInput.parse({ chain: ["sandbox"], price }).price).toBe(price);
  }
});

test("the simulation routes a number as a message would be", async () => {
  const world = await make({ prefix: "" });
  const slow = await make({ prefix: "4930", priority: 5 });
  const light = await make({ prefix: "4930", weight: 25 });
  const heavy = await make({ prefix: "4930", weight: 75, price: 0.02 });
  const unusable = await make({ prefix: "49301", chain: ["telnyx"] });
  await make({ prefix: "44" });
  await make({ prefix: "4930", is_active: false });
  const { routes } = await simulateRoute(operator, { to: "+4930123456" });
  expect(routes.map(({ id }) => id)).toEqual([light.id, heavy.id, slow.id, world.id, unusable.id]);
  expect(routes.map(({ share }) => share)).toEqual([0.25, 0.75, 0, 0, 0]);
  expect(routes[1]).toMatchObject({ price: 0.02, chain: [{ provider: "sandbox", status: "usable" }] });
  expect(routes[4]?.chain).toEqual([{ provider: "telnyx", status: "not_configured" }]);
  expect((await simulateRoute(operator, { to: "+4420123456" })).routes).toHaveLength(2);
});

test("drained providers and those without settings are left out of the chain", async () => {
  await saveSettings(operator, { id: "vonage", settings: { apiKey: "k", apiSecret: "a-secret" } });
  await make({ prefix: "1", chain: ["vonage", "telnyx", "sandbox"] });
  await make({ prefix: "", chain: ["sandbox"] });
  await drainProvider(operator, { id: "vonage", is_drained: true });
  const [first] = (await simulateRoute(operator, { to: "+14155550123" })).routes;
  expect(first).toMatchObject({ prefix: "1", share: 1 });
  expect(first?.chain.map(({ status }) => status)).toEqual(["drained", "not_configured", "usable"]);
});

test("a route whose first provider is drained leaves the messages to its equals", async () => {
  await saveSettings(operator, { id: "vonage", settings: { apiKey: "k", apiSecret: "a-secret" } });
  await drainProvider(operator, { id: "vonage", is_drained: true });
  const drained = await make({ prefix: "1", chain: ["vonage"] });
  const alone = await simulateRoute(operator, { to: "+14155550123" });
  expect(alone.routes).toMatchObject([{ id: drained.id, share: 1, chain: [{ status: "drained" }] }]);
  const equal = await make({ prefix: "1" });
  const { routes } = await simulateRoute(operator, { to: "+14155550123" });
  expect(routes.find(({ id }) => id === equal.id)?.share).toBeGreaterThan(0.99);
});
