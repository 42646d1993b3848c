import { z } from "zod";

/** Bytes in base64url, bounded, so that nothing large is decoded. */
const bytes = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    .regex(/^[A-Za-z0-9_-]+$/, "must be base64url");

/** WebAuthn allows 1,023 bytes. */
const CredentialId = bytes(1_364);
const ClientData = bytes(4_096);
/** No extension is asked for whose result matters. */
const extensionResults = z.object({});

/** Response of an authenticator to a request to sign a challenge, as the browser's library sends it. */
export const PasskeyAssertion = z.object({
  id: CredentialId,
  rawId: CredentialId,
  type: z.literal("public-key"),
  response: z.object({
    clientDataJSON: ClientData,
    authenticatorData: bytes(2_048),
    signature: bytes(2_048),
    userHandle: bytes(128).optional(),
  }),
  clientExtensionResults: extensionResults,
});
export type PasskeyAssertion = z.output<typeof PasskeyAssertion>;

/** Response of an authenticator that has made a passkey. */
const PasskeyAttestation = z.object({
  id: CredentialId,
  rawId: CredentialId,
  type: z.literal("public-key"),
  response: z.object({
    clientDataJSON: ClientData,
    attestationObject: bytes(16_384),
    transports: z.array(z.string().max(32)).max(10).optional(),
  }),
  clientExtensionResults: extensionResults,
});
export type PasskeyAttestation = z.output<typeof PasskeyAttestation>;

const Name = z.string().trim().min(1, "must not be empty").max(100);

export const AddPasskeyInput = z.object({ name: Name, passkey: PasskeyAttestation });
export type AddPasskeyInput = z.output<typeof AddPasskeyInput>;

export const RenamePasskeyInput = z.object({ id: z.string().max(64), name: Name });
export type RenamePasskeyInput = z.output<typeof RenamePasskeyInput>;

/** Console: a passkey of the person. */
export const Passkey = z.object({
  id: z.string(),
  object: z.literal("passkey"),
  name: z.string(),
  /** Whether its owner's other devices have it too. */
  is_synced: z.boolean(),
  /** The host that it works at, if that is no longer the service's; else null. */
  other_host: z.string().nullable(),
  created_at: z.string(),
  last_used_at: z.string().nullable(),
});
export type Passkey = z.output<typeof Passkey>;

/** Console: the person's passkeys, oldest first, and how many there may be. */
export const Passkeys = z.object({ passkeys: z.array(Passkey), max: z.number().int() });
export type Passkeys = z.output<typeof Passkeys>;

/** Before a sign-in: the token that ties the challenge to the browser. */
export const BeginPasskeySignInInput = z.object({ csrf_token: z.string().min(1).max(200) });
export type BeginPasskeySignInInput = z.output<typeof BeginPasskeySignInInput>;

const CredentialDescriptor = z.object({
  id: z.string(),
  type: z.literal("public-key"),
  transports: z.array(z.string()).optional(),
});

/** For `navigator.credentials.get`, as the browser's library takes it. */
export const PasskeyRequest = z.object({
  challenge: z.string(),
  rpId: z.string(),
  timeout: z.number().int(),
  userVerification: z.literal("required"),
  allowCredentials: z.array(CredentialDescriptor),
});
export type PasskeyRequest = z.output<typeof PasskeyRequest>;

/** For `navigator.credentials.create`, as the browser's library takes it. */
export const PasskeyCreation = z.object({
  challenge: z.string(),
  rp: z.object({ id: z.string(), name: z.string() }),
  user: z.object({ id: z.string(), name: z.string(), displayName: z.string() }),
  pubKeyCredParams: z.array(z.object({ alg: z.number().int(), type: z.literal("public-key") })),
  timeout: z.number().int(),
  attestation: z.literal("none"),
  excludeCredentials: z.array(CredentialDescriptor),
  authenticatorSelection: z.object({
    residentKey: z.literal("required"),
    requireResidentKey: z.literal(true),
    userVerification: z.literal("required"),
  }),
});
export type PasskeyCreation = z.output<typeof PasskeyCreation>;
