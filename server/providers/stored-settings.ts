/** Settings of providers as operators enter them. Secrets go in and never come out. */
import { type Actor, nameOf, requireOperator } from "../core/actor";
import { pool, prisma, type Tx, transaction } from "../core/db";
import { env, providerEnvironment } from "../core/env";
import { invalidRequest } from "../core/errors";
import { errorFields, log } from "../core/log";
import { seal, unseal } from "../core/seal";
import type { ProviderPath, ProviderSetting, SaveProviderSettingsInput } from "./operator-schema";
import { forgetProviders } from "./registry";
import type { ProviderId } from "./schema";
import { readSettings, type SettingField, settingFields } from "./settings";

const PURPOSE = "provider settings";

type Entered = Record<string, string>;
type Given = SaveProviderSettingsInput["settings"];

/** What an operator entered; null: nothing, or what was sealed with another SECRET_KEY and is lost. */
function unsealSettings(id: ProviderId, sealed: string | null): Entered | null {
  if (sealed === null) return null;
  try {
    return JSON.parse(unseal(env().SECRET_KEY, PURPOSE, sealed)) as Entered;
  } catch (thrown) {
    log("warn", "provider.settings_lost", { provider: id, ...errorFields(thrown) });
    return null;
  }
}

/** The fields of a provider's settings. Of a secret only whether an operator has entered it is told. */
export async function shownSettings(id: ProviderId): Promise<ProviderSetting[]> {
  const row = await prisma().provider.findUnique({ where: { id }, select: { settingsSealed: true } });
  const fields = settingFields(id);
  const names = fields.map(({ name }) => name);
  const isEntered = row !== null && row.settingsSealed !== null;
  const entered = isEntered ? (unsealSettings(id, row.settingsSealed) ?? {}) : providerEnvironment(id, names);
  return fields.map(({ name, description, isSecret, isRequired, standard, environment }) => ({
    name,
    description,
    is_secret: isSecret,
    is_required: isRequired,
    standard,
    environment,
    is_set: entered[name] !== undefined && (isEntered || !isSecret),
    value: isSecret ? null : (entered[name] ?? null),
  }));
}

/**
 * What holds after `given` was entered over `stored`: an empty secret stays what it was. A secret goes nowhere that it
 * was not entered for: with another address it must be entered again, or whoever may change that could read it there.
 * @throws 400 naming the secret
 */
function merge(fields: readonly SettingField[], stored: Entered, given: Given): Entered {
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

async function lockSettings(tx: Tx, id: ProviderId): Promise<string | null> {
  await tx.query("INSERT INTO providers (id) VALUES ($1) ON CONFLICT (id) DO NOTHING", [id]);
  const { rows } = await tx.query<{ sealed: string | null }>(
    "SELECT settings_sealed AS sealed FROM providers WHERE id = $1 FOR UPDATE",
    [id],
  );
  return rows[0]?.sealed ?? null;
}

/**
 * Replaces a provider's settings; they are stored encrypted, and hold instead of the environment's.
 * @throws 403 for whoever is no operator, 400 naming the setting that is unknown, missing or wrong.
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
  await transaction(async (tx) => {
    const entered = merge(fields, unsealSettings(id, await lockSettings(tx, id)) ?? {}, settings);
    readSettings(id, entered);
    const sealed = seal(env().SECRET_KEY, PURPOSE, JSON.stringify(entered));
    await tx.query("UPDATE providers SET settings_sealed = $2, updated_at = now() WHERE id = $1", [id, sealed]);
  });
  forgetProviders();
  log("info", "provider.settings_saved", { provider: id, by: nameOf(actor) });
}

/** Forgets what operators entered: the settings of the environment hold again. @throws 403 */
export async function clearSettings(actor: Actor, { id }: ProviderPath): Promise<void> {
  requireOperator(actor);
  await pool().query("UPDATE providers SET settings_sealed = NULL, updated_at = now() WHERE id = $1", [id]);
  forgetProviders();
  log("info", "provider.settings_cleared", { provider: id, by: nameOf(actor) });
}
