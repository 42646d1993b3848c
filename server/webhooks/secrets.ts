/** Signing secrets on their way into the database and out of it. */
import { env } from "../core/env";
import { seal, unseal } from "../core/seal";
import type { Secrets } from "./signature";

const PURPOSE = "webhook signing secret";

/** The columns of an endpoint that hold its secrets; `previousSecretSealed` is null unless it still signs. */
export type SealedSecrets = { secretSealed: string; previousSecretSealed: string | null };

/** Encrypts a signing secret for its column. */
export const sealSecret = (secret: string): string => seal(env().SECRET_KEY, PURPOSE, secret);

/** The secrets that sign now. @throws Error when SECRET_KEY is not the one that they were sealed with. */
export function unsealSecrets({ secretSealed, previousSecretSealed }: SealedSecrets): Secrets {
  const open = (sealed: string) => unseal(env().SECRET_KEY, PURPOSE, sealed);
  const present = open(secretSealed);
  return previousSecretSealed === null ? [present] : [present, open(previousSecretSealed)];
}
