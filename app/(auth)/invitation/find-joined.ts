import { credentialsTexts } from "@/app/_texts/auth/credentials";
import { apiErrorOf } from "@/app/_ui/forms/api-error";
import type { AcceptedInvitation, Membership } from "@/server/members/schema";

type Accepted = Pick<AcceptedInvitation, "account_id">;

/** The invitation is over: the try whose response was lost has accepted it, or something else has ended it. */
export const OVER = "over";

/** OVER if a later try, or a look at the invitation, was refused because the invitation is over. */
export const ifOver = (refusal: unknown): typeof OVER | undefined =>
  apiErrorOf(refusal).reason === "invitation_over" ? OVER : undefined;

/**
 * Finds out whether a try whose response was lost made somebody a member: then they can sign in and are a member of the account.
 * @param openSession resolves to null when the session is open, else to the reason in words.
 */
export async function findJoined(
  { account_id }: Accepted,
  openSession: () => Promise<string | null>,
  readMemberships: () => Promise<readonly Pick<Membership, "account_id">[]>,
): Promise<"joined" | "not joined" | "unknown"> {
  const refusal = await openSession();
  // The same password was sent to join, so a wrong one means not joined. Other refusals, such as of a code, prove nothing.
  if (refusal !== null) return refusal === credentialsTexts.wrong ? "not joined" : "unknown";
  try {
    return (await readMemberships()).some((each) => each.account_id === account_id) ? "joined" : "not joined";
  } catch {
    return "unknown";
  }
}
