import { now } from "../core/clock";
import { prisma } from "../core/db";
import type { JobPayload } from "../core/jobs";

/** Approves a sender automatically, unless an operator has decided on it meanwhile. */
export async function reviewSender({ senderId }: JobPayload<"review_sender">): Promise<void> {
  await prisma().sender.updateMany({
    where: { id: senderId, status: "pending" },
    data: { status: "approved", approvedAt: now() },
  });
}
