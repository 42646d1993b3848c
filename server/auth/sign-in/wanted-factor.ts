/** Responses to a correct password if a second factor is required, by what the person has. */
export const SECOND_FACTOR_REQUIRED = {
  app: "Enter the code of your authenticator app.",
  passkey: "Use your passkey, or enter a recovery code.",
  either: "Use your passkey, or enter the code of your authenticator app.",
} as const;

export type WantedFactor = keyof typeof SECOND_FACTOR_REQUIRED;

/** The second factor that a refusal asks for; null: it is another refusal. */
export function wantedFactorOf(refusal: string): WantedFactor | null {
  const found = Object.entries(SECOND_FACTOR_REQUIRED).find(([, text]) => text === refusal);
  return (found?.[0] as WantedFactor | undefined) ?? null;
}
