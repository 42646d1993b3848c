import { z } from "zod";
import { env, providerEnvironment, providerVariable, secretKeys } from "../core/env";
import { invalidRequest, messageOf } from "../core/errors";
import { defineProcessValue } from "../core/process";
import { seal, unseal } from "../core/seal";
import { httpProvider } from "./catalogue";
import type { Settings } from "./port";
import { RECEIPT_NETWORKS } from "./receipt-networks";
import { smppSettings } from "./smpp/settings";

/** One setting of a provider, as operators see it. */
export type SettingField = {
  name: string;
  description: string;
  isSecret: boolean;
  isRequired: boolean;
  /** Whether it is an address that secrets are sent to. */
  isAddress: boolean;
  /** Default; null: none. */
  standard: string | null;
  /** The environment variable that sets it. */
  environment: string;
};

const httpSchemas = defineProcessValue("providers.schemas", () => new Map<string, z.ZodObject>());

const schemaOf = (provider: string): z.ZodObject | null => {
  if (provider === "smpp") return smppSettings;
  const known = httpSchemas().get(provider);
  if (known) return known;
  const own = httpProvider(provider)?.settings;
  if (!(own instanceof z.ZodObject)) return null;
  const schema = own.safeExtend(RECEIPT_NETWORKS);
  httpSchemas().set(provider, schema);
  return schema;
};

/** The type inside wrappers such as optional and default, which has the description and the marks. */
function innermost(type: z.core.$ZodType): z.core.$ZodType {
  const { def } = type._zod as { def: { innerType?: z.core.$ZodType; in?: z.core.$ZodType } };
  return def.innerType ? innermost(def.innerType) : def.in ? innermost(def.in) : type;
}

/** The settings of a provider; the sandbox has none. */
export function settingFields(provider: string): SettingField[] {
  return Object.entries(schemaOf(provider)?.shape ?? {}).map(([name, type]) => {
    const marks = [type, innermost(type)].map((at) => z.globalRegistry.get(at as z.ZodType) ?? {});
    const unset = z.safeParse(type, undefined);
    return {
      name,
      description: String(marks.find((mark) => mark.description)?.description ?? name),
      isSecret: marks.some((mark) => mark.secret === true),
      isRequired: !unset.success,
      isAddress: marks.some((mark) => mark.address === true),
      standard: unset.success && unset.data !== undefined ? String(unset.data) : null,
      environment: providerVariable(provider, name),
    };
  });
}

/** Validates the settings entered for a provider; empty texts count as not entered. @throws 400 naming the setting. */
export function readSettings(provider: string, entered: Record<string, string>): Settings {
  const schema = schemaOf(provider);
  if (!schema) throw invalidRequest(`The provider ${provider} has no settings.`, { param: "provider" });
  const given = Object.fromEntries(Object.entries(entered).filter(([, value]) => value !== ""));
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const param = String(issue?.path[0] ?? "settings");
  const problem = given[param] === undefined ? "is missing" : (issue?.message ?? "is wrong");
  throw invalidRequest(`${param}: ${problem}`, { param, reason: "invalid_provider_settings" });
}

/** A provider's settings and their source; `settings` is null when they are missing, invalid or unreadable. */
export type FoundSettings = {
  source: "environment" | "operator" | null;
  settings: Settings | null;
  problem: string | null;
  /** Whether an operator's settings cannot be opened with this process's keys. Other processes may have the right one. */
  isUnreadable: boolean;
};

const PURPOSE = "provider settings";

/** Settings as an operator has entered them: texts by their names. */
export type EnteredSettings = Record<string, string>;

/** Encrypts settings for their column. */
export const sealSettings = (entered: EnteredSettings): string =>
  seal(env().SECRET_KEY, PURPOSE, JSON.stringify(entered));

/** Decrypts stored settings; null: they cannot be opened with this process's keys. */
export function openSettings(sealed: string): EnteredSettings | null {
  try {
    return JSON.parse(unseal(secretKeys(), PURPOSE, sealed)) as EnteredSettings;
  } catch {
    return null;
  }
}

const UNREADABLE = "The stored settings cannot be opened: they were sealed with another SECRET_KEY.";

/** The settings in force: an operator's (`sealed`), else those of the environment. */
export function findSettings(provider: string, sealed: string | null): FoundSettings {
  const source = sealed === null ? "environment" : "operator";
  const names = Object.keys(schemaOf(provider)?.shape ?? {});
  const found = sealed === null ? providerEnvironment(provider, names) : openSettings(sealed);
  if (found === null) return { source, settings: null, problem: UNREADABLE, isUnreadable: true };
  const isReadable = { isUnreadable: false } as const;
  if (sealed === null && Object.keys(found).length === 0)
    return { source: null, settings: null, problem: null, ...isReadable };
  try {
    return { source, settings: readSettings(provider, found), problem: null, ...isReadable };
  } catch (thrown) {
    return { source, settings: null, problem: messageOf(thrown), ...isReadable };
  }
}
