import { z } from "zod";
import { urlUpTo } from "../core/wire";

/** Characters of an address. */
export const ADDRESS_MAX = 2_048;

/** A secret setting of a provider: stored encrypted, never shown again. */
export const secret = (description: string) =>
  z.string().min(1).max(4_096).describe(description).meta({ secret: true });

/** A required plain setting. */
export const field = (description: string) => z.string().min(1).max(1_024).describe(description);

/** Whether two settings that go together are both given, or neither. */
export const isPair = (one?: string, other?: string): boolean => (one === undefined) === (other === undefined);

/** Marks a setting that is an address which secrets are sent to. */
export const ADDRESS = { address: true };

/** Base URL of a provider's API, without a trailing slash. */
export const baseUrl = (standard: string) =>
  urlUpTo(ADDRESS_MAX, { protocol: /^https?$/ })
    .transform((url) => url.replace(/(?<!\/)\/+$/, ""))
    .default(standard)
    .describe(`address of the API; ${standard} unless you were given another`)
    .meta(ADDRESS);
