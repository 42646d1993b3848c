/** Encrypts and decrypts signing secrets for the database. */
import { env, secretKeys } from "../core/env";
import { seal, unseal } from "../core/seal";
import type { Secrets } from "./delivery/signature";

const PURPOSE = "webhook signing secret";

/** The secret columns of an endpoint; `previousSecretSealed` is null unless it still signs. */
export type SealedSecrets = { secretSealed: string; previousSecretSealed: string | null };

/** Encrypts a signing secret for its column. */
export const sealSecret = (secret: string): string => seal(env().SECRET_KEY, PURPOSE, secret);

/** The secrets that sign now. @throws Error when they were sealed with another SECRET_KEY. */
export function unsealSecrets({ secretSealed, previousSecretSealed }: SealedSecrets): Secrets {
  const open = (sealed: string) => unseal(secretKeys(), PURPOSE, sealed);
  const current = open(secretSealed);
  return previousSecretSealed === null ? [current] : [current, open(previousSecretSealed)];
}
