/** The passkeys of a person: adds, lists, renames and removes them. */
import { recordAudit } from "../../audit/store";
import { requireConfirmed, type SessionActor } from "../../core/actor";
import { pool, prisma, type Tx, transaction } from "../../core/db";
import { publicUrl } from "../../core/env";
import { constraintOf, invalidRequest, notFound } from "../../core/errors";
import { newId } from "../../core/ids";
import { log } from "../../core/log";
import { refusedInput } from "../../core/wire";
import { keepAuthority, transactionBy } from "../authority";
import { countOwnPasskeys, hasSecondFactor } from "../credentials/has-second-factor";
import { dropRecoveryCodes, replaceRecoveryCodes } from "../credentials/recovery-codes";
import { requireProof } from "../credentials/second-factor-proof";
import { tellPerson } from "../credentials/security-mail";
import { lockPersons } from "../lock-persons";
import {
  type AddPasskeyInput,
  PasskeyCreation,
  type PasskeyRequest,
  type Passkeys,
  type RenamePasskeyInput,
} from "../passkey-schema";
import { type PasskeyRow, presentPasskey } from "../present";
import type { PasskeyAdded, RemovePasskeyInput } from "../schema";
import { CHALLENGE_VALID_MS, holderOf, newChallenge, spendChallenge } from "./challenges";
import { clientDataOf } from "./client-data";
import { loadWebauthn } from "./library";
import { credentialsOf, requestPasskey, requireSite } from "./requests";
import { passkeySite } from "./site";

const PASSKEYS_MAX = 10;
const RP_NAME = "Messaging Service";
/** COSE: EdDSA, ES256 and RS256. Fixed, because every version of Node that may verify them knows these. */
const ALGORITHMS = [-8, -7, -257];

const COLUMNS = `id, name, rp_id AS "rpId", is_synced AS "isSynced", created_at AS "createdAt", last_used_at AS "lastUsedAt"`;

const presentAll = (rows: PasskeyRow[]): Passkeys => {
  const site = passkeySite(publicUrl());
  return { passkeys: rows.map((row) => presentPasskey(row, site?.rpId ?? null)), max: PASSKEYS_MAX };
};

/** The person's passkeys, oldest first. */
export async function listPasskeys(actor: SessionActor): Promise<Passkeys> {
  const { rows } = await pool().query<PasskeyRow>(
    `SELECT ${COLUMNS} FROM passkeys WHERE user_id = $1 ORDER BY id LIMIT ${PASSKEYS_MAX}`,
    [actor.userId],
  );
  return presentAll(rows);
}

const tooMany = () =>
  invalidRequest(`You have ${PASSKEYS_MAX} passkeys, which is the maximum. Remove one first.`, {
    reason: "passkey_limit",
  });

/**
 * Makes the request with which the browser has an authenticator make a passkey.
 * @throws 403 `confirmation_required` or `passkeys_unavailable`, 400 `passkey_limit`.
 */
export async function beginPasskey(actor: SessionActor): Promise<PasskeyCreation> {
  requireConfirmed(actor);
  const site = requireSite();
  const user = await prisma().user.findUniqueOrThrow({ where: { id: actor.userId } });
  if ((await countOwnPasskeys(pool(), user.id)) >= PASSKEYS_MAX) throw tooMany();
  const { generateRegistrationOptions } = await loadWebauthn();
  const challenge = await newChallenge("add", holderOf(actor));
  return PasskeyCreation.parse(
    await generateRegistrationOptions({
      rpName: RP_NAME,
      rpID: site.rpId,
      userID: new Uint8Array(Buffer.from(user.id)),
      userName: user.email,
      userDisplayName: user.name,
      challenge: new Uint8Array(Buffer.from(challenge, "base64url")),
      timeout: CHALLENGE_VALID_MS,
      attestationType: "none",
      // One per authenticator: another one there would replace it.
      excludeCredentials: await credentialsOf(user.id, site),
      authenticatorSelection: { residentKey: "required", userVerification: "required" },
      supportedAlgorithmIDs: ALGORITHMS,
    }),
  );
}

const invalid = () =>
  invalidRequest("This passkey could not be verified. Perhaps it took too long: try again.", {
    reason: "passkey_invalid",
  });

/** @throws 400 `passkey_invalid` */
async function verifyNew(actor: SessionActor, { passkey }: AddPasskeyInput) {
  const { rpId, origin } = requireSite();
  const clientData = clientDataOf(passkey.response.clientDataJSON);
  if (!clientData || !(await spendChallenge(clientData.challenge, "add", holderOf(actor)))) throw invalid();
  const { verifyRegistrationResponse } = await loadWebauthn();
  try {
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: passkey,
      expectedChallenge: clientData.challenge,
      expectedOrigin: origin,
      expectedRPID: rpId,
      requireUserVerification: true,
      supportedAlgorithmIDs: ALGORITHMS,
    });
    if (verified) return { ...registrationInfo, rpId };
  } catch {
    // The library's messages repeat the input, which is not logged.
    log("warn", "auth.passkey_invalid", { user_id: actor.userId, other_origin: clientData.origin !== origin });
  }
  throw invalid();
}

/**
 * Stores a passkey that an authenticator has made. With the first second factor of a person come recovery codes.
 * @throws 403 `confirmation_required` or `passkeys_unavailable`, 400 `passkey_invalid`, `passkey_known` or `passkey_limit`; 401 when the
 *   session has ended meanwhile.
 */
export async function addPasskey(actor: SessionActor, input: AddPasskeyInput): Promise<PasskeyAdded> {
  requireConfirmed(actor);
  const { userId, accountId } = actor;
  const { credential, credentialBackedUp, rpId } = await verifyNew(actor, input);
  const id = newId("passkey");
  const store = async (tx: Tx): Promise<PasskeyAdded> => {
    await lockPersons(tx, userId);
    await keepAuthority(tx, actor);
    if ((await countOwnPasskeys(tx, userId)) >= PASSKEYS_MAX) throw tooMany();
    const isFirst = !(await hasSecondFactor(userId, tx));
    const { rows } = await tx.query<PasskeyRow>(
      `INSERT INTO passkeys (id, user_id, credential_id, public_key, counter, transports, rp_id, name, is_synced)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) RETURNING ${COLUMNS}`,
      [
        ...[id, userId, credential.id, Buffer.from(credential.publicKey), credential.counter],
        ...[input.passkey.response.transports ?? [], rpId, input.name],
        credentialBackedUp,
      ],
    );
    const recovery = isFirst ? await replaceRecoveryCodes(tx, userId) : null;
    const change = { action: "passkey.added", accountId, subjectId: id } as const;
    await recordAudit(tx, actor, { ...change, after: { name: input.name } });
    await tellPerson(tx, userId, { kind: "passkey_added", name: input.name }, actor.origin);
    const [row] = rows;
    if (!row) throw new Error("The database returned no row for what it inserted.");
    return { passkey: presentPasskey(row, rpId), recovery };
  };
  try {
    const added = await transaction(store);
    log("info", "auth.passkey_added", { user_id: userId, passkey_id: id });
    return added;
  } catch (thrown) {
    if (constraintOf(thrown) !== "passkeys_credential_id_key") throw thrown;
    throw invalidRequest("This passkey was added already.", { reason: "passkey_known" });
  }
}

const unknown = () => notFound("You have no such passkey.");

/** Renames a passkey. @throws 404 */
export async function renamePasskey(actor: SessionActor, { id, name }: RenamePasskeyInput): Promise<Passkeys> {
  await transactionBy(actor, async (tx) => {
    const { rows } = await tx.query<{ name: string }>(
      "SELECT name FROM passkeys WHERE id = $1 AND user_id = $2 FOR UPDATE",
      [id, actor.userId],
    );
    const [before] = rows;
    if (!before) throw unknown();
    if (before.name === name) return;
    await tx.query("UPDATE passkeys SET name = $2 WHERE id = $1", [id, name]);
    const change = { action: "passkey.renamed", accountId: actor.accountId, subjectId: id } as const;
    await recordAudit(tx, actor, { ...change, before: { name: before.name }, after: { name } });
  });
  return listPasskeys(actor);
}

/** Makes the request for a proof in this session ({@link removePasskey} and others take it). @throws 403 `passkeys_unavailable` */
export async function beginPasskeyProof(actor: SessionActor): Promise<PasskeyRequest> {
  const allowed = await credentialsOf(actor.userId, requireSite());
  if (allowed.length === 0) throw refusedInput("passkey", "you have no passkey that works here");
  return requestPasskey("prove", holderOf(actor), allowed);
}

/**
 * Removes a passkey. Requires the password and a second factor, which may be this passkey. Sessions stay open, also those that it
 * opened; recovery codes go with the last second factor.
 * @param address of the caller, for throttling.
 * @throws 400 at `password`, `code` or `passkey`, 404, 429 `sign_in_throttled` after too many wrong ones.
 */
export async function removePasskey(
  actor: SessionActor,
  input: RemovePasskeyInput,
  address: string,
): Promise<Passkeys> {
  const { userId, accountId } = actor;
  const { rowCount } = await pool().query("SELECT 1 FROM passkeys WHERE id = $1 AND user_id = $2", [input.id, userId]);
  if (rowCount === 0) throw unknown();
  await requireProof(actor, input, address, async (tx) => {
    const { rows } = await tx.query<{ name: string }>(
      "DELETE FROM passkeys WHERE id = $1 AND user_id = $2 RETURNING name",
      [input.id, userId],
    );
    const [removed] = rows;
    if (!removed) throw unknown();
    if (!(await hasSecondFactor(userId, tx))) await dropRecoveryCodes(tx, userId);
    const change = { action: "passkey.removed", accountId, subjectId: input.id } as const;
    await recordAudit(tx, actor, { ...change, before: { name: removed.name } });
    await tellPerson(tx, userId, { kind: "passkey_removed", name: removed.name }, actor.origin);
  });
  log("info", "auth.passkey_removed", { user_id: userId, passkey_id: input.id });
  return listPasskeys(actor);
}
