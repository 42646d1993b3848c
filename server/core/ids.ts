import { randomFillSync } from "node:crypto";

/** Prefix of each kind of id. The rest is a UUIDv7 (RFC 9562) in Crockford base32, so ids sort by time. */
const PREFIXES = {
  account: "acc",
  user: "usr",
  session: "ses",
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
} as const;

export type IdKind = keyof typeof PREFIXES;

const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
const POOL_BYTES = 4_096;
const pool = Buffer.alloc(POOL_BYTES);
let poolAt = POOL_BYTES;
let lastMs = 0;
let sequence = 0;

function randomByte(): number {
  if (poolAt === POOL_BYTES) {
    randomFillSync(pool);
    poolAt = 0;
  }
  return pool[poolAt++] ?? 0;
}

const bytes = new Uint8Array(16);

/** 16 bytes of a UUIDv7 whose 12 bits after the time count up within one millisecond, so ids of a process never run back. */
function nextUuid(): Uint8Array {
  const ms = Math.max(Date.now(), lastMs);
  if (ms === lastMs) sequence += 1;
  else sequence = randomByte() & 0x7f;
  // 4,096 ids in one millisecond: borrow the next millisecond rather than repeat or go back.
  lastMs = sequence > 0xfff ? ms + 1 : ms;
  if (sequence > 0xfff) sequence = 0;
  const high = Math.floor(lastMs / 0x1_0000_0000);
  const low = lastMs >>> 0;
  bytes[0] = high >>> 8;
  bytes[1] = high;
  bytes[2] = low >>> 24;
  bytes[3] = low >>> 16;
  bytes[4] = low >>> 8;
  bytes[5] = low;
  bytes[6] = 0x70 | (sequence >>> 8);
  bytes[7] = sequence;
  for (let i = 8; i < 16; i += 1) bytes[i] = randomByte();
  bytes[8] = 0x80 | ((bytes[8] ?? 0) & 0x3f);
  return bytes;
}

/** Makes an id such as `msg_01jzx5…`: the kind's prefix and 26 base32 characters. */
export function newId(kind: IdKind): string {
  const uuid = nextUuid();
  let text = "";
  // 128 bits are 26 groups of 5 with two leading zero bits.
  let held = 0;
  let bits = 2;
  for (const byte of uuid) {
    held = (held << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += ALPHABET[(held >>> bits) & 31];
    }
    held &= (1 << bits) - 1;
  }
  return `${PREFIXES[kind]}_${text}`;
}

/** Characters of an id, after its prefix, that carry the time: 2 zero bits and 48 bits of milliseconds. */
const TIME_CHARACTERS = 10;
const RANDOM_CHARACTERS = 16;

/** The smallest id of this kind that could be made at `at`: every one made then or later sorts behind it. */
export function firstIdAt(kind: IdKind, at: Date): string {
  let text = "";
  for (let left = at.getTime(), n = 0; n < TIME_CHARACTERS; n += 1) {
    text = ALPHABET.charAt(left % 32) + text;
    left = Math.floor(left / 32);
  }
  return `${PREFIXES[kind]}_${text}${"0".repeat(RANDOM_CHARACTERS)}`;
}

/** When an id was made, to the millisecond. The text must have the form of an id. */
export function timeOfId(id: string): Date {
  const start = id.indexOf("_") + 1;
  const digits = [...id.slice(start, start + TIME_CHARACTERS)].map((character) => ALPHABET.indexOf(character));
  return new Date(digits.reduce((sum, digit) => sum * 32 + digit, 0));
}

/** Whether `text` has the form of an id of this kind. It says nothing about whether it exists. */
export function isId(kind: IdKind, text: string): boolean {
  const prefix = PREFIXES[kind];
  return (
    text.length === prefix.length + 27 &&
    text.startsWith(`${prefix}_`) &&
    /^[0-7][0-9a-hjkmnp-tv-z]{25}$/.test(text.slice(prefix.length + 1))
  );
}
