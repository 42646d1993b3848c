/**
 * An authenticator (WebAuthn) in software: makes passkeys and signs with them as browsers pass it on, for one origin. Its options break
 * the rules that the service has to enforce.
 */
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";
import { isoCBOR } from "@simplewebauthn/server/helpers";
import type {
  PasskeyAssertion,
  PasskeyAttestation,
  PasskeyCreation,
  PasskeyRequest,
} from "@/server/auth/passkey-schema";

const FLAGS = { present: 0x01, verified: 0x04, syncable: 0x08, synced: 0x10, attested: 0x40 };
const ES256 = -7;

/** `origin`: of the page. `isVerified`: whether it has verified its owner. `rpId`: the host, if another one than asked for. */
type Use = { origin?: string; isVerified?: boolean; rpId?: string; type?: string; userHandle?: string | null };

type Credential = { id: string; privateKey: KeyObject; userHandle: string; counter: number };

const sha256 = (data: string | Buffer): Buffer => createHash("sha256").update(data).digest();

const base64url = (data: Uint8Array): string => Buffer.from(data).toString("base64url");

/** The public key in COSE. */
function coseOf(publicKey: KeyObject): Uint8Array {
  const { x = "", y = "" } = publicKey.export({ format: "jwk" });
  const bytes = (part: string) => new Uint8Array(Buffer.from(part, "base64url"));
  return isoCBOR.encode(
    new Map<number, number | Uint8Array>([
      ...([[1, 2]] as const),
      ...([[3, ES256]] as const),
      ...([[-1, 1]] as const),
      [-2, bytes(x)],
      [-3, bytes(y)],
    ]) as never,
  );
}

/** @param counts whether its signatures are counted, as those of security keys are; synced passkeys have no counter. */
export function makeAuthenticator(origin: string, { counts = false } = {}) {
  const credentials: Credential[] = [];

  const clientData = (type: string, challenge: string, use: Use): Buffer =>
    Buffer.from(
      JSON.stringify({ type: use.type ?? type, challenge, origin: use.origin ?? origin, crossOrigin: false }),
    );

  function authData(rpId: string, flags: number, counter: number, { isVerified = true }: Use, rest = Buffer.alloc(0)) {
    const head = Buffer.alloc(5);
    const synced = counts ? 0 : FLAGS.syncable | FLAGS.synced;
    head.writeUInt8(FLAGS.present | (isVerified ? FLAGS.verified : 0) | synced | flags, 0);
    head.writeUInt32BE(counter, 1);
    return Buffer.concat([sha256(rpId), head, rest]);
  }

  return {
    credentials,
    /** Makes a passkey. */
    create(asked: PasskeyCreation, use: Use = {}): PasskeyAttestation {
      const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
      const rawId = randomBytes(32);
      const id = base64url(rawId);
      credentials.push({ id, privateKey, userHandle: asked.user.id, counter: 0 });
      const length = Buffer.alloc(2);
      length.writeUInt16BE(rawId.length);
      const attested = Buffer.concat([Buffer.alloc(16), length, rawId, coseOf(publicKey)]);
      const data = authData(use.rpId ?? asked.rp.id, FLAGS.attested, 0, use, attested);
      const attestation = isoCBOR.encode(
        new Map<string, unknown>([
          ["fmt", "none"],
          ["attStmt", new Map()],
          ["authData", new Uint8Array(data)],
        ]) as never,
      );
      return {
        ...{ id, rawId: id, type: "public-key", clientExtensionResults: {} },
        response: {
          clientDataJSON: base64url(clientData("webauthn.create", asked.challenge, use)),
          attestationObject: base64url(attestation),
          transports: ["internal"],
        },
      };
    },
    /** Signs a challenge with a passkey: the last one, or a copy of another. */
    get(asked: PasskeyRequest, use: Use = {}, credential = credentials.at(-1)): PasskeyAssertion {
      if (!credential) throw new Error("The authenticator has no passkey.");
      if (counts) credential.counter += 1;
      const data = authData(use.rpId ?? asked.rpId, 0, credential.counter, use);
      const client = clientData("webauthn.get", asked.challenge, use);
      const signature = sign("sha256", Buffer.concat([data, sha256(client)]), credential.privateKey);
      const userHandle = use.userHandle === undefined ? credential.userHandle : (use.userHandle ?? undefined);
      return {
        ...{ id: credential.id, rawId: credential.id, type: "public-key", clientExtensionResults: {} },
        response: {
          ...{ clientDataJSON: base64url(client), authenticatorData: base64url(data), signature: base64url(signature) },
          userHandle,
        },
      };
    },
  };
}

export type Authenticator = ReturnType<typeof makeAuthenticator>;
