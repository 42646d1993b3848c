"use client";

import { ActionIcon } from "@mantine/core";
import { trpc } from "@/app/_trpc/client";
import { confirmAction } from "@/app/_ui/forms/confirm";
import { IconTrash } from "@/app/_ui/icons/icons";
import { toastDone, toastFailed } from "@/app/_ui/toast";
import { Tooltip } from "@/app/_ui/tooltip";
import type { Suppression } from "@/server/suppressions/schema";

/** Removes a suppression after confirmation, with a reminder of consent if the person sent STOP. */
export function RemoveButton({ suppression: { id, number, sender_id: sender, reason } }: { suppression: Suppression }) {
  const utils = trpc.useUtils();
  const remove = trpc.suppressions.delete.useMutation({
    onSuccess: () => {
      toastDone(`Suppression of ${number} removed`);
      return utils.suppressions.invalidate();
    },
    onError: toastFailed,
  });
  const from = sender ? `“${sender}”` : "all senders";
  return (
    <Tooltip label="Remove">
      <ActionIcon
        variant="subtle"
        color="red"
        aria-label={`Remove ${number} from ${from}`}
        loading={remove.isPending}
        onClick={() =>
          confirmAction({
            title: `Remove the suppression of ${number}?`,
            children:
              reason === "stop"
                ? `This person opted out with STOP. Continue only if they have asked for messages from ${from} again.`
                : `Messages from ${from} will reach this number again.`,
            confirmLabel: "Remove suppression",
            onConfirm: () => remove.mutate({ id }),
          })
        }
      >
        <IconTrash size={16} />
      </ActionIcon>
    </Tooltip>
  );
}
