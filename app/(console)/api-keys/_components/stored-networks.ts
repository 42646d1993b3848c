const BITS = 32;
/** Factors of the four numbers of an IPv4 address. */
const PLACES = [2 ** 24, 2 ** 16, 2 ** 8, 1];

/** An entry of an allowlist as it is stored: a network by its first address, a single address without a length. */
function storedNetwork(entry: string): string {
  const [address = "", length = String(BITS)] = entry.split("/");
  const bits = Number(length);
  if (bits === BITS) return address;
  const number = address.split(".").reduce((sum, part) => sum * 2 ** 8 + Number(part), 0);
  const size = 2 ** (BITS - bits);
  const first = number - (number % size);
  return `${PLACES.map((place) => Math.floor(first / place) % 2 ** 8).join(".")}/${bits}`;
}

/** An allowlist of valid entries as it is stored: each network once, in one spelling. Null: any address. */
export const storedNetworks = (entries: readonly string[] | null): string[] | null =>
  entries && [...new Set(entries.map(storedNetwork))];
