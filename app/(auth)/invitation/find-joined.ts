import { credentialsTexts } from "@/app/_texts/auth/credentials";
import { apiErrorOf } from "@/app/_ui/forms/api-error";
import type { AcceptedInvitation, Membership } from "@/server/members/schema";

type Accepted = Pick<AcceptedInvitation, "account_id">;

/** In the place of a lost response: the invitation is over, by the try that was lost or by something else. */
export const OVER = "over";

/** Stands for the refusal of a later try, or of a look, which says that the invitation is over. */
export const ifOver = (refusal: unknown): typeof OVER | undefined =>
  apiErrorOf(refusal).reason === "invitation_over" ? OVER : undefined;

/**
 * Finds out whether somebody has joined an account by a try whose response was lost: if so, they can sign in and are a member.
 * @param openSession gives null when the session is open, else the reason in words.
 */
export async function findJoined(
  { account_id }: Accepted,
  openSession: () => Promise<string | null>,
  readMemberships: () => Promise<readonly Pick<Membership, "account_id">[]>,
): Promise<"joined" | "not joined" | "unknown"> {
  const refusal = await openSession();
  // An acceptance takes the same password. Any other refusal, such as that of a code, says nothing about it.
  if (refusal !== null) return refusal === credentialsTexts.wrong ? "not joined" : "unknown";
  try {
    return (await readMemberships()).some((each) => each.account_id === account_id) ? "joined" : "not joined";
  } catch {
    return "unknown";
  }
}
