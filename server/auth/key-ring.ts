/** Session cookies of a key ring: SECRET_KEY encrypts them, and the former keys still open theirs. */
import { decode, type JWT, type JWTDecodeParams } from "next-auth/jwt";
import { secretKeys } from "../core/env";

/** Next-auth's own decoding, with each key in turn. @throws the present key's error when no key opens the cookie. */
export async function decodeSession(params: JWTDecodeParams): Promise<JWT | null> {
  const [present, ...former] = secretKeys();
  try {
    return await decode({ ...params, secret: present });
  } catch (thrown) {
    for (const secret of former) {
      const token = await decode({ ...params, secret }).catch(() => null);
      if (token) return token;
    }
    throw thrown;
  }
}
