import { now } from "../core/clock";
import { prisma } from "../core/db";
import type { JobPayload } from "../core/jobs";

/** Approves a sender that no operator has decided on meanwhile. Does nothing when it is gone or decided. */
export async function reviewSender({ senderId }: JobPayload<"review_sender">): Promise<void> {
  await prisma().sender.updateMany({
    where: { id: senderId, status: "pending" },
    data: { status: "approved", approvedAt: now() },
  });
}
