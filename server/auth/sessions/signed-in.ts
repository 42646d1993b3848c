/** The signed-in person of a request on node:http, without Next. */
import { sessionOfCookies } from "./session-cookie";
import { findSignedIn, type SignedIn } from "./sessions";

/**
 * The person whose session the cookies name; null: not signed in.
 * @param cookies the request's `Cookie`.
 * @param address of the caller, kept with the session; empty when it is not known.
 */
export async function signedInPerson(cookies: string | undefined, address: string): Promise<SignedIn | null> {
  const sessionId = await sessionOfCookies(cookies);
  return sessionId === null ? null : findSignedIn(sessionId, address);
}
