import { type Actor, nameOf, requireOperator } from "../core/actor";
import { pool, prisma } from "../core/db";
import { notFound } from "../core/errors";
import { log } from "../core/log";
import { firstMinute, type MinuteCounts, seriesOf, sumMinutes } from "./health/figures";
import type {
  DrainProviderInput,
  OperatedProvider,
  ProviderDetail,
  ProviderPath,
  ThrottleProviderInput,
} from "./operator-schema";
import { presentProvider } from "./present";
import { receiptUrlOf } from "./receipt-url";
import { forgetProviders, providerTable } from "./registry";
import { PROVIDERS, type ProviderId } from "./schema";
import { shownSettings } from "./stored-settings";

/** Providers that report over the connection that messages are sent over, or inside the service. */
const WITHOUT_RECEIPT_URL: readonly ProviderId[] = ["smpp", "sandbox"];

/** The database's clock, by which the minutes are counted. */
async function databaseTime(): Promise<Date> {
  const { rows } = await pool().query<{ at: Date }>("SELECT now() AS at");
  if (!rows[0]) throw new Error("The database did not tell its time.");
  return rows[0].at;
}

async function present(ids: readonly ProviderId[]): Promise<OperatedProvider[]> {
  const at = await databaseTime();
  const [table, rows] = await Promise.all([
    providerTable(),
    prisma().providerMinute.findMany({ where: { provider: { in: [...ids] }, minute: { gte: firstMinute(at) } } }),
  ]);
  return ids.flatMap((id) => {
    const state = table.stateOf(id);
    if (!state) return [];
    const minutes: MinuteCounts[] = rows.filter((row) => row.provider === id);
    return [presentProvider(state, sumMinutes(minutes), seriesOf(minutes, at))];
  });
}

/** Every provider there is, with its state and its last 60 minutes. @throws 403 for whoever is no operator. */
export async function listProviders(actor: Actor): Promise<OperatedProvider[]> {
  requireOperator(actor);
  return present(PROVIDERS);
}

/** One provider with the form of its settings; no secret is in it. @throws 403 for whoever is no operator. */
export async function getProvider(actor: Actor, { id }: ProviderPath): Promise<ProviderDetail> {
  requireOperator(actor);
  const [[provider], settings] = await Promise.all([present([id]), shownSettings(id)]);
  if (!provider) throw notFound("There is no such provider.", { param: "id" });
  return { ...provider, settings, receipt_url: WITHOUT_RECEIPT_URL.includes(id) ? null : receiptUrlOf(id) };
}

/** Columns of `providers`. */
type Change = Partial<{
  is_drained: boolean;
  max_segments_per_second: number | null;
  breaker: string;
  open_until: null;
  opens: number;
  probes_left: number;
  alarm: null;
}>;

/** `updated_at` is the database's clock, because workers compare it with that (see tend.ts). */
async function change(id: ProviderId, to: Change): Promise<void> {
  const columns = Object.keys(to);
  const places = columns.map((_, at) => `$${at + 2}`);
  await pool().query(
    `INSERT INTO providers (id, updated_at, ${columns.join(", ")}) VALUES ($1, now(), ${places.join(", ")})
     ON CONFLICT (id) DO UPDATE SET updated_at = excluded.updated_at,
       ${columns.map((column) => `${column} = excluded.${column}`).join(", ")}`,
    [id, ...Object.values(to)],
  );
  forgetProviders();
}

/** Gives a provider nothing new (its receipts are still taken in), or lets it work again. @throws 403 */
export async function drainProvider(actor: Actor, input: DrainProviderInput): Promise<ProviderDetail> {
  requireOperator(actor);
  await change(input.id, { is_drained: input.is_drained });
  log("info", input.is_drained ? "provider.drained" : "provider.resumed", { provider: input.id, by: nameOf(actor) });
  return getProvider(actor, input);
}

/** Sets how many segments per second a provider gets at most; null: as many as it takes. @throws 403 */
export async function throttleProvider(actor: Actor, input: ThrottleProviderInput): Promise<ProviderDetail> {
  requireOperator(actor);
  const segmentsPerSecond = input.max_segments_per_second;
  await change(input.id, { max_segments_per_second: segmentsPerSecond });
  log("info", "provider.paced", { provider: input.id, segmentsPerSecond, by: nameOf(actor) });
  return getProvider(actor, input);
}

/** Lets a provider whose breaker is open, or probing, work again at once. @throws 403 */
export async function closeBreaker(actor: Actor, input: ProviderPath): Promise<ProviderDetail> {
  requireOperator(actor);
  await change(input.id, { breaker: "closed", opens: 0, probes_left: 0, open_until: null, alarm: null });
  log("info", "provider.breaker_closed", { provider: input.id, by: nameOf(actor) });
  return getProvider(actor, input);
}
