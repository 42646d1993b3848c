/** A person with their own account, signed in to the console. */
import { openSession } from "@/test/network/operator-session";

const PERSON = { email: "bench-person@example.com", password: "bench-password-1", name: "Bench" };

/** Signs a person up and in. @returns the cookies of their session. @throws Error when the sign-up is refused. */
export async function openPerson(origin: string): Promise<string> {
  const response = await fetch(`${origin}/api/trpc/auth.signUp`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(PERSON),
  });
  if (!response.ok) throw new Error(`Nobody can sign up: ${await response.text()}`);
  return (await openSession(origin, PERSON)).join("; ");
}
