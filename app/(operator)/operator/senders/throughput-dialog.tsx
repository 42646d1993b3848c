"use client";

import { Button, Group, Modal, NumberInput, Stack } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useState } from "react";
import { trpc } from "@/app/_trpc/client";
import { ErrorAlert } from "@/app/_ui/error-alert";
import { markFields } from "@/app/_ui/form-errors";
import { toastDone } from "@/app/_ui/toast";
import type { ReviewedSender } from "@/server/operator/schema";

const DECIMALS = 2;

/** Asks how many segments per second may leave under a sender. */
export function ThroughputDialog({ sender, onClose }: { sender: ReviewedSender | null; onClose: () => void }) {
  return (
    <Modal
      opened={sender !== null}
      onClose={onClose}
      title={`Pace of ${sender?.sender_id ?? ""}`}
      closeButtonProps={{ "aria-label": "Close" }}
    >
      {sender && <ThroughputForm sender={sender} onDone={onClose} />}
    </Modal>
  );
}

function ThroughputForm({ sender, onDone }: { sender: ReviewedSender; onDone: () => void }) {
  const utils = trpc.useUtils();
  const [unplaced, setUnplaced] = useState<unknown>(null);
  const form = useForm<{ max_segments_per_second: number | string }>({
    mode: "controlled",
    initialValues: { max_segments_per_second: sender.max_segments_per_second ?? "" },
  });
  const pace = trpc.operator.throttleSender.useMutation({
    onSuccess: ({ sender_id, max_segments_per_second: limit }) => {
      toastDone(
        limit === null ? `${sender_id} has no pace of its own.` : `${sender_id}: ${limit} segments per second.`,
      );
      onDone();
      return utils.operator.senders.invalidate();
    },
    onError: (error) => {
      if (!markFields(form, error)) setUnplaced(error);
    },
  });
  const submit = form.onSubmit(({ max_segments_per_second: entered }) => {
    setUnplaced(null);
    pace.mutate({ id: sender.id, max_segments_per_second: entered === "" ? null : Number(entered) });
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <NumberInput
          label="Segments per second"
          description="Empty: as fast as its provider takes them"
          decimalScale={DECIMALS}
          allowNegative={false}
          hideControls
          data-autofocus
          {...form.getInputProps("max_segments_per_second")}
        />
        <ErrorAlert error={unplaced} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onDone}>
            Cancel
          </Button>
          <Button type="submit" loading={pace.isPending}>
            Save pace
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
