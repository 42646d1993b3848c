"use client";

import { senderReviewTexts as texts } from "@/app/_texts/operator/senders";
import { lazily } from "@/app/_ui/connection/connection";
import { FormModal } from "@/app/_ui/forms/form-modal";
import type { Deciding, OpenDecision } from "./decision-form";

const DecisionForm = lazily(() => import("./decision-form").then((file) => ({ default: file.DecisionForm })));

/** Asks for an optional note when an operator rejects or suspends a sender. */
export function DecisionDialog({ open, ...deciding }: Deciding & { open: OpenDecision | null }) {
  return (
    <FormModal
      opened={open !== null}
      onClose={deciding.onClose}
      title={open ? texts.decideOn[open.decision](open.sender.sender_id) : ""}
    >
      {open && <DecisionForm open={open} {...deciding} />}
    </FormModal>
  );
}
