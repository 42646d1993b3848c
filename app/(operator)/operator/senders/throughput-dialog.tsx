"use client";

import { senderReviewTexts as texts } from "@/app/_texts/operator/senders";
import { lazily } from "@/app/_ui/connection/connection";
import { FormModal } from "@/app/_ui/forms/form-modal";
import type { ReviewedSender } from "@/server/operator/schema";

const ThroughputForm = lazily(() => import("./throughput-form").then((file) => ({ default: file.ThroughputForm })));

/** Sets the throughput limit of a sender ID, in segments per second. */
export function ThroughputDialog({ sender, onClose }: { sender: ReviewedSender | null; onClose: () => void }) {
  return (
    <FormModal opened={sender !== null} onClose={onClose} title={texts.throughput.titleOf(sender?.sender_id ?? "")}>
      {sender && <ThroughputForm sender={sender} onDone={onClose} />}
    </FormModal>
  );
}
