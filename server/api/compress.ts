/** Compression of large responses. */
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";

const gzipped = promisify(gzip);
const brotlied = promisify(brotliCompress);

/**
 * For smaller responses the headers and the extra work cost more than the bytes saved; the response to a single send is never
 * longer.
 */
export const COMPRESSED_MIN_BYTES = 4_096;
/** The fastest levels: JSON shrinks to a tenth anyway, and processor time is better spent on other requests. */
const GZIP_LEVEL = 1;
const BROTLI_QUALITY = 1;

type ContentCoding = "br" | "gzip";

/** The compressed bodies of a response that is the same for many requests. */
export type Compressed = Map<ContentCoding, Promise<Buffer>>;

/** The caller's preferred content coding among ours; null: none. */
export function codingOf(acceptEncoding: string | undefined): ContentCoding | null {
  if (!acceptEncoding) return null;
  const weights = new Map<string, number>();
  for (const part of acceptEncoding.toLowerCase().split(",")) {
    const [name = "", ...parameters] = part.split(";").map((text) => text.trim());
    const q = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2);
    weights.set(name, q === undefined ? 1 : Number(q) || 0);
  }
  const weightOf = (coding: string): number => weights.get(coding) ?? weights.get("*") ?? 0;
  const [br, gz] = [weightOf("br"), weightOf("gzip")];
  if (br <= 0 && gz <= 0) return null;
  return br >= gz ? "br" : "gzip";
}

const compressedAs = (coding: ContentCoding, text: string): Promise<Buffer> =>
  coding === "gzip"
    ? gzipped(text, { level: GZIP_LEVEL })
    : brotlied(text, {
        params: {
          [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
          [constants.BROTLI_PARAM_SIZE_HINT]: text.length,
        },
      });

type Served = { headers: Record<string, string>; body: string; hasSecret?: boolean; compressed?: Compressed };

/**
 * Compresses a response that is large enough; one with `compressed` only once in each coding. A response with a new secret is not
 * compressed: if it also has text that an attacker chose, its compressed length could reveal the secret (BREACH).
 */
export async function compress<Given extends Served>(
  response: Given,
  acceptEncoding: string | undefined,
): Promise<Omit<Given, "body"> & { body: string | Buffer }> {
  // A string never has more UTF-16 units than bytes.
  if (response.hasSecret || response.body.length < COMPRESSED_MIN_BYTES) return response;
  const headers = { ...response.headers, vary: "accept-encoding" };
  const coding = codingOf(acceptEncoding);
  if (coding === null) return { ...response, headers };
  const compressing = response.compressed?.get(coding) ?? compressedAs(coding, response.body);
  response.compressed?.set(coding, compressing);
  return { ...response, headers: { ...headers, "content-encoding": coding }, body: await compressing };
}
