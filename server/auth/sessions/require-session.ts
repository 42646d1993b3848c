import { headers } from "next/headers";
import { redirect } from "next/navigation";
import { connection } from "next/server";
import { getServerSession } from "next-auth/next";
import { cache } from "react";
import { CHANGING_ROLE, isAtLeast } from "../../core/actor";
import { env } from "../../core/env";
import { authOptions } from "../options";
import { callerAddress } from "../sign-in/caller-address";
import { PAGE_HEADER, signInPath } from "../sign-in/sign-in-path";
import { findSignedIn, type SignedIn } from "./sessions";

/**
 * The signed-in person, for the layouts of Next; null: not signed in. The cookie names a session; the database
 * decides whether it is valid and what the person may do, so a revoked session, a removed person or a former operator loses
 * access with the next request.
 *
 * React caches the result for one render of one request; outside a render it is read each time.
 */
const currentSession: () => Promise<SignedIn | null> = cache(async () => {
  // This comes first, so that a build, which has no settings, renders every page that calls this only at request time.
  await connection();
  const session = await getServerSession(authOptions());
  if (!session?.sessionId) return null;
  const given = await headers();
  return findSignedIn(
    session.sessionId,
    callerAddress((name) => given.get(name), env().TRUSTED_PROXIES),
  );
});

/**
 * The signed-in person, for layouts of Next. Others are redirected to sign in, and then to the page asked for.
 * `mayChange`: their role lets them change what belongs to the account.
 */
export async function requireSession(): Promise<SignedIn & { mayChange: boolean }> {
  const session = await currentSession();
  if (!session) redirect(signInPath((await headers()).get(PAGE_HEADER) ?? "/"));
  return { ...session, mayChange: isAtLeast(session.role, CHANGING_ROLE) };
}
