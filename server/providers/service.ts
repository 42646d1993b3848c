import type { AuditAction } from "../audit/actions";
import type { AuditValues } from "../audit/schema";
import { recordAudit } from "../audit/store";
import { transactionBy } from "../auth/authority";
import { type Actor, nameOf, requireOperator } from "../core/actor";
import { pool, prisma } from "../core/db";
import { env } from "../core/env";
import { invalidRequest, notFound } from "../core/errors";
import { log } from "../core/log";
import { isoOrNull } from "../core/wire";
import { firstMinute, type MinuteCounts, seriesOf, sumMinutes } from "./health/figures";
import type {
  DrainProviderInput,
  OperatedProvider,
  ProviderDetail,
  ProviderPath,
  ThrottleProviderInput,
} from "./operator-schema";
import { presentProvider } from "./present";
import { isRotatable, receiptUrlOf } from "./receipt-url";
import { invalidateProviders, providerTable } from "./registry";
import { PROVIDERS, type ProviderId } from "./schema";
import { shownSettings } from "./stored-settings";

/** Providers that report over their own connection, or inside the service. */
const WITHOUT_RECEIPT_URL: readonly ProviderId[] = ["smpp", "sandbox"];

/** The database's clock, by which the minutes are counted. */
async function databaseTime(): Promise<Date> {
  const { rows } = await pool().query<{ at: Date }>("SELECT now() AS at");
  if (!rows[0]) throw new Error("The database returned no time.");
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

/** All providers with their states and last 60 minutes. @throws 403 unless the actor is an operator. */
export async function listProviders(actor: Actor): Promise<OperatedProvider[]> {
  requireOperator(actor);
  return present(PROVIDERS);
}

/** One provider with its settings form, without secrets. @throws 403 unless the actor is an operator, 404 */
export async function getProvider(actor: Actor, { id }: ProviderPath): Promise<ProviderDetail> {
  requireOperator(actor);
  const [[provider], settings, { rows }] = await Promise.all([
    present([id]),
    shownSettings(id),
    pool().query<{ rotation: number; until: Date | null }>(
      `SELECT receipt_rotation AS rotation,
         CASE WHEN receipt_rotated_at > now() - make_interval(days => $2)
           THEN receipt_rotated_at + make_interval(days => $2) END AS until
       FROM providers WHERE id = $1`,
      [id, env().RECEIPT_PATH_DAYS],
    ),
  ]);
  if (!provider) throw notFound("There is no such provider.", { param: "id" });
  const { rotation, until } = rows[0] ?? { rotation: 0, until: null };
  return {
    ...provider,
    settings,
    receipt_url: WITHOUT_RECEIPT_URL.includes(id) ? null : receiptUrlOf(id, rotation),
    is_receipt_url_rotatable: isRotatable(id),
    former_receipt_url_until: isoOrNull(until),
  };
}

/**
 * Replaces the receipt URL that is entered in the provider's console. The previous one stays valid for RECEIPT_PATH_DAYS, older ones
 * do not.
 * @throws 403 unless the actor is an operator, 400 for a provider whose callbacks are signed or need no URL.
 */
export async function rotateReceiptUrl(actor: Actor, { id }: ProviderPath): Promise<ProviderDetail> {
  requireOperator(actor);
  if (!isRotatable(id)) {
    throw invalidRequest(`${id} does not depend on its receipt URL being secret.`, {
      param: "id",
      reason: "receipt_url_not_rotatable",
    });
  }
  await transactionBy(actor, async (tx) => {
    await tx.query("INSERT INTO providers (id) VALUES ($1) ON CONFLICT (id) DO NOTHING", [id]);
    const { rows } = await tx.query<{ rotation: number }>(
      `UPDATE providers SET receipt_rotation = receipt_rotation + 1, receipt_rotated_at = now() WHERE id = $1
       RETURNING receipt_rotation AS rotation`,
      [id],
    );
    const rotation = rows[0]?.rotation ?? 0;
    const change = { action: "provider.receipt_url_rotated", accountId: null, subjectId: id } as const;
    await recordAudit(tx, actor, {
      ...change,
      before: { receipt_rotation: rotation - 1 },
      after: { receipt_rotation: rotation },
    });
  });
  invalidateProviders();
  log("info", "provider.receipt_url_rotated", { provider: id, by: nameOf(actor) });
  return getProvider(actor, { id });
}

/** Columns of `providers`. */
type Change = Partial<{
  is_drained: boolean;
  max_segments_per_second: number | null;
  breaker: string;
  open_until: null;
  opens: number;
  probes_left: number;
  last_error: null;
}>;

/** `updated_at` is the database's time, because workers compare it with that clock (health/provider-health.ts). */
async function change(actor: Actor, action: AuditAction, id: ProviderId, to: Change): Promise<void> {
  const columns = Object.keys(to);
  const places = columns.map((_, at) => `$${at + 2}`);
  await transactionBy(actor, async (tx) => {
    await tx.query("INSERT INTO providers (id) VALUES ($1) ON CONFLICT (id) DO NOTHING", [id]);
    // `open_until` is a time, and only ever set to null.
    const shown = columns.filter((column) => column !== "open_until");
    const { rows } = await tx.query<AuditValues>(`SELECT ${shown.join(", ")} FROM providers WHERE id = $1 FOR UPDATE`, [
      id,
    ]);
    await tx.query(
      `UPDATE providers SET updated_at = now(), ${columns.map((column, at) => `${column} = ${places[at]}`).join(", ")}
       WHERE id = $1`,
      [id, ...Object.values(to)],
    );
    await recordAudit(tx, actor, { action, accountId: null, subjectId: id, before: rows[0] ?? {}, after: { ...to } });
  });
  invalidateProviders();
}

/** Drains a provider (its receipts are still taken), or lets it work again. @throws 403 */
export async function drainProvider(actor: Actor, input: DrainProviderInput): Promise<ProviderDetail> {
  requireOperator(actor);
  const action = input.is_drained ? "provider.drained" : "provider.resumed";
  await change(actor, action, input.id, { is_drained: input.is_drained });
  log("info", action, { provider: input.id, by: nameOf(actor) });
  return getProvider(actor, input);
}

/** Sets a provider's throughput limit in segments per second; null: none. @throws 403 */
export async function throttleProvider(actor: Actor, input: ThrottleProviderInput): Promise<ProviderDetail> {
  requireOperator(actor);
  const segmentsPerSecond = input.max_segments_per_second;
  await change(actor, "provider.throttled", input.id, { max_segments_per_second: segmentsPerSecond });
  log("info", "provider.throttled", { provider: input.id, segments_per_second: segmentsPerSecond, by: nameOf(actor) });
  return getProvider(actor, input);
}

/** Closes the breaker of a provider at once. @throws 403 */
export async function closeBreaker(actor: Actor, input: ProviderPath): Promise<ProviderDetail> {
  requireOperator(actor);
  await change(actor, "provider.breaker_closed", input.id, {
    breaker: "closed",
    opens: 0,
    probes_left: 0,
    open_until: null,
    last_error: null,
  });
  log("info", "provider.breaker_closed", { provider: input.id, by: nameOf(actor) });
  return getProvider(actor, input);
}
