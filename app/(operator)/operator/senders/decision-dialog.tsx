"use client";

import { Button, Group, Stack, Text, Textarea } from "@mantine/core";
import { useState } from "react";
import { senderReviewTexts as texts } from "@/app/_texts/operator/senders";
import { sharedTexts } from "@/app/_texts/shared";
import { SaveAlert } from "@/app/_ui/forms/error-alert";
import { FormModal } from "@/app/_ui/forms/form-modal";
import type { ReviewedSender } from "@/server/operator/schema";
import type { Decision } from "./decision-menu";

const NOTE_MAX = 255;

/** Asks for an optional note when an operator rejects or suspends a sender. */
export function DecisionDialog({
  open,
  busy,
  error,
  onClose,
  onDecide,
}: {
  open: { sender: ReviewedSender; decision: Decision } | null;
  busy: boolean;
  error: unknown;
  onClose: () => void;
  onDecide: (note: string | undefined) => void;
}) {
  const [note, setNote] = useState("");
  const decision = open?.decision === "suspended" ? "suspended" : "rejected";
  return (
    <FormModal
      opened={open !== null}
      onClose={onClose}
      onExitTransitionEnd={() => setNote("")}
      title={texts.decideOn[decision](open?.sender.sender_id ?? "")}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          onDecide(note.trim() || undefined);
        }}
      >
        <Stack gap="md">
          <Text size="sm">
            {open?.decision === "suspended"
              ? texts.decision.suspension(open.sender.account_name)
              : texts.decision.rejection(open?.sender.account_name ?? "")}
          </Text>
          <Textarea
            label={texts.decision.reason}
            description={texts.decision.reasonHint}
            value={note}
            onChange={(event) => setNote(event.currentTarget.value)}
            maxLength={NOTE_MAX}
            autosize
            minRows={2}
            data-autofocus
          />
          <SaveAlert error={error} again={texts.decision.again} />
          <Group className="dialog-foot" justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {sharedTexts.cancel}
            </Button>
            <Button type="submit" color="red" loading={busy}>
              {texts.decide[decision]}
            </Button>
          </Group>
        </Stack>
      </form>
    </FormModal>
  );
}
