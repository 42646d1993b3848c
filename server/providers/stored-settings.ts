/** Settings of providers as operators enter them. Secrets are write-only. */
import type { AuditValues } from "../audit/schema";
import { recordAudit } from "../audit/store";
import { transactionBy } from "../auth/authority";
import { type Actor, nameOf, requireOperator } from "../core/actor";
import { prisma, type Tx } from "../core/db";
import { providerEnvironment } from "../core/env";
import { invalidRequest } from "../core/errors";
import { log } from "../core/log";
import type { ProviderPath, ProviderSetting, SaveProviderSettingsInput } from "./operator-schema";
import { invalidateProviders } from "./registry";
import type { ProviderId } from "./schema";
import {
  type EnteredSettings,
  openSettings,
  readSettings,
  type SettingField,
  sealSettings,
  settingFields,
} from "./settings";

type Given = SaveProviderSettingsInput["settings"];

/** The entered settings; none if they are lost, because they were sealed with another SECRET_KEY. */
function enteredOf(id: ProviderId, sealed: string | null): EnteredSettings {
  const entered = sealed === null ? {} : openSettings(sealed);
  if (entered === null) log("warn", "provider.settings_lost", { provider: id });
  return entered ?? {};
}

/** The fields of a provider's settings. A secret shows only whether an operator has entered it. */
export async function shownSettings(id: ProviderId): Promise<ProviderSetting[]> {
  const row = await prisma().provider.findUnique({ where: { id }, select: { settingsSealed: true } });
  const fields = settingFields(id);
  const names = fields.map(({ name }) => name);
  const hasEntered = row !== null && row.settingsSealed !== null;
  const entered = hasEntered ? enteredOf(id, row.settingsSealed) : providerEnvironment(id, names);
  return fields.map(({ name, description, isSecret, isRequired, standard, environment }) => ({
    name,
    description,
    is_secret: isSecret,
    is_required: isRequired,
    standard,
    environment,
    is_set: entered[name] !== undefined && (hasEntered || !isSecret),
    value: isSecret ? null : (entered[name] ?? null),
  }));
}

/**
 * Merges `given` into `stored`: an empty secret keeps its value. With a changed address secrets must be entered again:
 * otherwise an operator could point the address at their own server and read them there.
 * @throws 400 naming the secret
 */
function merge(fields: readonly SettingField[], stored: EnteredSettings, given: Given): EnteredSettings {
  const hasMoved = fields.some(
    ({ name, isAddress, standard }) => isAddress && (given[name]?.trim() || standard) !== (stored[name] ?? standard),
  );
  return Object.fromEntries(
    fields.flatMap(({ name, isSecret }) => {
      const isKept = isSecret && given[name] !== null && !given[name]?.trim() && stored[name] !== undefined;
      if (isKept && hasMoved) {
        const reason = "invalid_provider_settings";
        throw invalidRequest(`${name}: must be entered again, as the address has changed`, { param: name, reason });
      }
      const text = isKept ? stored[name] : given[name]?.trim();
      return text ? [[name, text]] : [];
    }),
  );
}

/** Entered settings for the audit log: of a secret only whether it is set, or differs from that in `former`. */
const auditOf = (fields: readonly SettingField[], entered: EnteredSettings, former: EnteredSettings): AuditValues =>
  Object.fromEntries(
    fields.map(({ name, isSecret }) => {
      const value = entered[name] ?? null;
      if (!isSecret || value === null) return [name, value];
      return [name, former[name] === undefined || former[name] === value ? "(set)" : "(set to another)"];
    }),
  );

async function lockSettings(tx: Tx, id: ProviderId): Promise<string | null> {
  await tx.query("INSERT INTO providers (id) VALUES ($1) ON CONFLICT (id) DO NOTHING", [id]);
  const { rows } = await tx.query<{ sealed: string | null }>(
    "SELECT settings_sealed AS sealed FROM providers WHERE id = $1 FOR UPDATE",
    [id],
  );
  return rows[0]?.sealed ?? null;
}

/**
 * Replaces a provider's settings. They are stored encrypted and take precedence over the environment's.
 * @throws 403 unless the actor is an operator, 400 naming the setting that is unknown, missing or invalid.
 */
export async function saveSettings(actor: Actor, { id, settings }: SaveProviderSettingsInput): Promise<void> {
  requireOperator(actor);
  const fields = settingFields(id);
  const unknown = Object.keys(settings).find((name) => fields.every((field) => field.name !== name));
  if (unknown !== undefined || fields.length === 0) {
    throw invalidRequest(`${id} has no setting ${unknown ?? "at all"}.`, {
      param: unknown ?? "settings",
      reason: "invalid_provider_settings",
    });
  }
  await transactionBy(actor, async (tx) => {
    const stored = enteredOf(id, await lockSettings(tx, id));
    const entered = merge(fields, stored, settings);
    readSettings(id, entered);
    await tx.query("UPDATE providers SET settings_sealed = $2, updated_at = now() WHERE id = $1", [
      id,
      sealSettings(entered),
    ]);
    const [before, after] = [auditOf(fields, stored, {}), auditOf(fields, entered, stored)];
    const change = { action: "provider.settings_saved", accountId: null, subjectId: id } as const;
    await recordAudit(tx, actor, { ...change, before, after });
  });
  invalidateProviders();
  log("info", "provider.settings_saved", { provider: id, by: nameOf(actor) });
}

/** Deletes the entered settings, so that the environment's apply again. @throws 403 */
export async function clearSettings(actor: Actor, { id }: ProviderPath): Promise<void> {
  requireOperator(actor);
  await transactionBy(actor, async (tx) => {
    const before = auditOf(settingFields(id), enteredOf(id, await lockSettings(tx, id)), {});
    await tx.query("UPDATE providers SET settings_sealed = NULL, updated_at = now() WHERE id = $1", [id]);
    await recordAudit(tx, actor, { action: "provider.settings_cleared", accountId: null, subjectId: id, before });
  });
  invalidateProviders();
  log("info", "provider.settings_cleared", { provider: id, by: nameOf(actor) });
}
