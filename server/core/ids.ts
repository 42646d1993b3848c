import { randomFillSync } from "node:crypto";
import { V7Generator } from "uuidv7";
import { MINUTE_MS } from "./clock";

/**
 * Prefix of each kind of id. The rest is a UUIDv7 (RFC 9562) in Crockford base32, so ids sort by time. An account's id is shorter,
 * because it is in every row of its messages and events and in most of their index entries (docs/decisions/0049).
 */
const PREFIXES = {
  account: "acc",
  user: "usr",
  session: "ses",
  passkey: "pky",
  apiKey: "key",
  sender: "snd",
  message: "msg",
  event: "evt",
  endpoint: "whe",
  delivery: "dlv",
  receipt: "rcp",
  request: "req",
  suppression: "sup",
  inbound: "inb",
  audit: "aud",
  invitation: "ivt",
  mail: "eml",
  alert: "alt",
} as const;

export type IdKind = keyof typeof PREFIXES;
type LongIdKind = Exclude<IdKind, "account">;

/** Prefix of the id of an account's test-mode twin; the rest is as in the account's id. */
export const TEST_ACCOUNT_PREFIX = "tac_";
const LIVE_ACCOUNT = `${PREFIXES.account}_`;

/** Whether an account is a test-mode twin. Its id says so, so this needs no query. */
export const isTestAccount = (accountId: string): boolean => accountId.startsWith(TEST_ACCOUNT_PREFIX);

/** The test-mode twin of an account. */
export const testAccountOf = (accountId: string): string => accountId.replace(LIVE_ACCOUNT, TEST_ACCOUNT_PREFIX);

/** The live account of a test-mode twin; any other account is its own. */
export const liveAccountOf = (accountId: string): string =>
  isTestAccount(accountId) ? accountId.replace(TEST_ACCOUNT_PREFIX, LIVE_ACCOUNT) : accountId;

/** The digits of base32 in ids, by value. */
export const ID_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";

const RANDOM_WORDS = 1_024;
const words = new Uint32Array(RANDOM_WORDS);
let wordAt = RANDOM_WORDS;

/** Random numbers are made by the thousand: a call for each would cost more than the id. */
function nextUint32(): number {
  if (wordAt === RANDOM_WORDS) {
    randomFillSync(words);
    wordAt = 0;
  }
  return words[wordAt++] ?? 0;
}

/** Largest difference between the time in an id and the time in its row: ids keep increasing when a clock is set back by less. */
export const ID_SLACK_MS = 10 * MINUTE_MS;
const generator = new V7Generator({ nextUint32 });

/**
 * 16 bytes of a UUIDv7. Ids of a process increase even when its clock is set back a little. After a greater step they follow the
 * clock: ids are compared with times, so an id that is days ahead would be missing in lists and count against expired limits.
 */
const nextUuid = (): Readonly<Uint8Array> => generator.generateOrResetCore(Date.now(), ID_SLACK_MS).bytes;

const CHARACTERS = Buffer.from(ID_ALPHABET, "latin1");
/** The text of an id after its prefix. A buffer, because a string that grows piece by piece is copied each time. */
const written = Buffer.alloc(26);

/** Characters of an account's id that carry the time, in units of 1,024 ms; below, those of its tail. */
const ACCOUNT_TIME_CHARACTERS = 8;
const ACCOUNT_TAIL_CHARACTERS = 4;
/** Tails begin in the lower half, so that counting up from one never needs more than four characters. */
const ACCOUNT_TAILS = 32 ** ACCOUNT_TAIL_CHARACTERS / 2;
let lastAccount = { time: "", tail: 0 };

/** `value` in base32, with this number of characters. */
const inBase32 = (value: number, characters: number): string =>
  Array.from({ length: characters }, (_, at) => ID_ALPHABET.charAt((value >>> (5 * (characters - 1 - at))) & 31)).join(
    "",
  );

/** An account's id without its prefix, made from a longer id. A process counts up within a unit of time, so it never repeats one. */
function accountTextOf(text: string): string {
  const time = text.slice(0, ACCOUNT_TIME_CHARACTERS);
  const tail = time === lastAccount.time ? lastAccount.tail + 1 : nextUint32() % ACCOUNT_TAILS;
  lastAccount = { time, tail };
  return time + inBase32(tail, ACCOUNT_TAIL_CHARACTERS);
}

/**
 * Makes an id such as `msg_01jzx5…`: the kind's prefix and 26 base32 characters, or 12 for an account. If two processes make
 * accounts in the same second, their ids are equal in one case in half a million; the database refuses the second one.
 */
export function newId(kind: IdKind): string {
  // 128 bits are 26 groups of 5 with two leading zero bits.
  let carry = 0;
  let bits = 2;
  let at = 0;
  for (const byte of nextUuid()) {
    carry = (carry << 8) | byte;
    for (bits += 8; bits >= 5; at += 1) {
      bits -= 5;
      written[at] = CHARACTERS[(carry >>> bits) & 31] as number;
    }
    carry &= (1 << bits) - 1;
  }
  const text = written.toString("latin1");
  return `${PREFIXES[kind]}_${kind === "account" ? accountTextOf(text) : text}`;
}

/** Characters of an id, after its prefix, that carry the time: 2 zero bits and 48 bits of milliseconds. */
const TIME_CHARACTERS = 10;
const RANDOM_CHARACTERS = 16;

/** Lower bound of the ids made at `at` or later: all of them sort behind it. */
export function firstIdAt(kind: LongIdKind, at: Date): string {
  let text = "";
  for (let left = at.getTime(), n = 0; n < TIME_CHARACTERS; n += 1) {
    text = ID_ALPHABET.charAt(left % 32) + text;
    left = Math.floor(left / 32);
  }
  return `${PREFIXES[kind]}_${text}${"0".repeat(RANDOM_CHARACTERS)}`;
}

/** Time at which an id was made, to the millisecond. The text must have the form of an id. */
export function timeOfId(id: string): Date {
  const start = id.indexOf("_") + 1;
  const digits = [...id.slice(start, start + TIME_CHARACTERS)].map((character) => ID_ALPHABET.indexOf(character));
  return new Date(digits.reduce((sum, digit) => sum * 32 + digit, 0));
}

/** Whether `text` has the form of an id of this kind, existing or not. */
export function isId(kind: LongIdKind, text: string): boolean {
  const prefix = PREFIXES[kind];
  return (
    text.length === prefix.length + 27 &&
    text.startsWith(`${prefix}_`) &&
    /^[0-7][0-9a-hjkmnp-tv-z]{25}$/.test(text.slice(prefix.length + 1))
  );
}
