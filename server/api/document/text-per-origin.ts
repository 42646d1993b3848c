/** Keeps texts that depend only on the origin of the installation: each is made and compressed once for many requests. */
import type { Compressed } from "../compress";

/** `compressed`: the codings requested so far. */
export type KeptText = { body: string; compressed: Compressed };

/** Without PUBLIC_URL the origin is the caller's Host, so only the latest ones are kept. */
export const ORIGINS_MAX = 4;

/** Makes a text at an origin's first request, and again if other origins have replaced it meanwhile; a failure is not kept. */
export function textPerOrigin(
  make: (origin: string) => string | Promise<string>,
): (origin: string) => Promise<KeptText> {
  // In the order of their last requests.
  const texts = new Map<string, Promise<KeptText>>();
  const begin = async (origin: string): Promise<KeptText> => ({ body: await make(origin), compressed: new Map() });
  const keep = (origin: string): Promise<KeptText> => {
    const text = begin(origin);
    text.catch(() => {
      if (texts.get(origin) === text) texts.delete(origin);
    });
    return text;
  };
  return (origin) => {
    const text = texts.get(origin) ?? keep(origin);
    texts.delete(origin);
    texts.set(origin, text);
    if (texts.size > ORIGINS_MAX) {
      const [oldest = ""] = texts.keys();
      texts.delete(oldest);
    }
    return text;
  };
}
