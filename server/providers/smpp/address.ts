/** Addresses of SMPP: a number or name with its type of number (TON) and numbering plan (NPI). */

type Address = { ton: number; npi: number; address: string };

const INTERNATIONAL = { ton: 1, npi: 1 };
const ALPHANUMERIC = { ton: 5, npi: 0 };
const SHORT_CODE = /^\d{3,8}$/;
const NUMBER = /^\+?\d+$/;

const international = (number: string): Address => ({ address: number.replace(/^\+/, ""), ...INTERNATIONAL });

function sourceAddress(from: string, shortCodeTon: number): Address {
  if (SHORT_CODE.test(from)) return { ton: shortCodeTon, npi: 0, address: from };
  return NUMBER.test(from) ? international(from) : { address: from, ...ALPHANUMERIC };
}

/**
 * The address fields of a submit_sm. `from`: a number (with or without `+`), a short code, or an alphanumeric sender
 * ID.
 */
export function addressFields(from: string, to: string, shortCodeTon: number): Record<string, string | number> {
  const source = sourceAddress(from, shortCodeTon);
  const destination = international(to);
  return {
    source_addr_ton: source.ton,
    source_addr_npi: source.npi,
    source_addr: source.address,
    dest_addr_ton: destination.ton,
    dest_addr_npi: destination.npi,
    destination_addr: destination.address,
  };
}
