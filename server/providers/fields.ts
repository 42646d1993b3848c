import { z } from "zod";
import { urlUpTo } from "../core/wire";

/** Characters of an address. */
export const ADDRESS_MAX = 2_048;

/** A secret of a provider's settings: it is stored encrypted and never shown again. */
export const secret = (description: string) =>
  z.string().min(1).max(4_096).describe(description).meta({ secret: true });

/** A plain setting that must be there. */
export const field = (description: string) => z.string().min(1).max(1_024).describe(description);

/** Marks a setting that says where secrets are sent to. */
export const ADDRESS = { address: true };

/** Where a provider is reached; no trailing slash. */
export const baseUrl = (standard: string) =>
  urlUpTo(ADDRESS_MAX, { protocol: /^https?$/ })
    .transform((url) => url.replace(/\/+$/, ""))
    .default(standard)
    .describe(`address of the API; ${standard} unless you were given another`)
    .meta(ADDRESS);
