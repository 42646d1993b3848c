import { type AccountActor, requireConfirmed } from "../core/actor";
import { now } from "../core/clock";
import { prisma } from "../core/db";
import { invalidRequest, notFound } from "../core/errors";
import { forgetKey } from "./authenticate";
import { canonicalIps } from "./ceiling";
import { presentApiKey } from "./present";
import type { ApiKey, UpdateApiKeyInput } from "./schema";

/**
 * Console: changes the name and the limits of a key; what is omitted stays. This process applies them at once, every other
 * one within a second.
 * @throws 403 `confirmation_required` for a person who has not given their password lately, 404 for a key that is not there
 *   or no longer active, 400 `expires_in_the_past`.
 */
export async function updateApiKey(actor: AccountActor, input: UpdateApiKeyInput): Promise<ApiKey> {
  requireConfirmed(actor);
  const at = now();
  const expiresAt = input.expires_at && new Date(input.expires_at);
  if (expiresAt && expiresAt <= at) {
    throw invalidRequest("expires_at must be in the future.", { param: "expires_at", reason: "expires_in_the_past" });
  }
  const [row] = await prisma().apiKey.updateManyAndReturn({
    where: {
      id: input.id,
      accountId: actor.accountId,
      revokedAt: null,
      OR: [{ expiresAt: null }, { expiresAt: { gt: at } }],
    },
    data: {
      name: input.name,
      rateLimit: input.rate_limit,
      dailyLimit: input.daily_limit,
      monthlyLimit: input.monthly_limit,
      allowedIps: input.allowed_ips === undefined ? undefined : canonicalIps(input.allowed_ips ?? []),
      expiresAt,
    },
  });
  if (!row) throw notFound("There is no such API key, or it is no longer active.", { param: "id" });
  forgetKey(row.keyHash);
  return presentApiKey(row, at);
}
