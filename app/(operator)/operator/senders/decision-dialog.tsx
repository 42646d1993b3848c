"use client";

import { Button, Group, Stack, Text, Textarea } from "@mantine/core";
import { useState } from "react";
import { ErrorAlert } from "@/app/_ui/forms/error-alert";
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
  const verb = open?.decision === "suspended" ? "Suspend" : "Reject";
  return (
    <FormModal
      opened={open !== null}
      onClose={onClose}
      onExitTransitionEnd={() => setNote("")}
      title={`${verb} ${open?.sender.sender_id ?? ""}`}
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
              ? `${open.sender.account_name} can no longer send with it. Messages that no provider has yet fail and are refunded.`
              : `${open?.sender.account_name ?? ""} cannot send with it.`}
          </Text>
          <Textarea
            label="Reason"
            description="Optional; the customer sees it"
            value={note}
            onChange={(event) => setNote(event.currentTarget.value)}
            maxLength={NOTE_MAX}
            autosize
            minRows={2}
            data-autofocus
          />
          <ErrorAlert error={error} />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" color="red" loading={busy}>
              {verb}
            </Button>
          </Group>
        </Stack>
      </form>
    </FormModal>
  );
}
