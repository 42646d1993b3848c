/** Tokens of links that are sent by email or passed on: whoever has one may use it. */
import { createHash, randomBytes } from "node:crypto";

const TOKEN_BYTES = 32;

export const newLinkToken = (): string => randomBytes(TOKEN_BYTES).toString("base64url");

/** Only this hash of a token is stored: a reader of the database cannot use it. */
export const hashLinkToken = (token: string): string => createHash("sha256").update(token).digest("hex");
