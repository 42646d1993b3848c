"use client";

import { Button, Group } from "@mantine/core";
import { senderReviewTexts as texts } from "@/app/_texts/operator/senders";
import type { DecideSenderInput, ReviewedSender } from "@/server/operator/schema";

export type Decision = DecideSenderInput["decision"];

/** The usual decisions for a sender of each status; the service checks whether each is allowed. */
const OFFERED: Record<ReviewedSender["status"], Decision[]> = {
  pending: ["approved", "rejected"],
  approved: ["suspended"],
  rejected: ["approved"],
  suspended: ["approved"],
};

/** A button for each decision on one sender. */
export function DecisionMenu({
  sender,
  busy,
  onDecide,
}: {
  sender: ReviewedSender;
  busy: boolean;
  onDecide: (decision: Decision) => void;
}) {
  return (
    <Group gap="xs" justify="flex-end" wrap="nowrap">
      {OFFERED[sender.status].map((decision) => (
        <Button
          key={decision}
          size="xs"
          variant={decision === "approved" ? "light" : "default"}
          disabled={busy}
          onClick={() => onDecide(decision)}
          aria-label={texts.decideOn[decision](sender.sender_id)}
        >
          {texts.decide[decision]}
        </Button>
      ))}
    </Group>
  );
}
