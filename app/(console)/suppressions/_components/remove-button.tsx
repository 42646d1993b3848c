"use client";

import { ActionIcon, Tooltip } from "@mantine/core";
import { IconTrash } from "@tabler/icons-react";
import { trpc } from "@/app/_trpc/client";
import { confirmAction } from "@/app/_ui/confirm";
import { toastDone, toastFailed } from "@/app/_ui/toast";
import type { Suppression } from "@/server/suppressions/schema";

/** Lets the account send to a number again, after asking; with a word about consent where the person said STOP. */
export function RemoveButton({ suppression: { id, number, sender_id: sender, reason } }: { suppression: Suppression }) {
  const utils = trpc.useUtils();
  const remove = trpc.suppressions.delete.useMutation({
    onSuccess: () => {
      toastDone(`${number} may be sent to again`);
      return utils.suppressions.invalidate();
    },
    onError: toastFailed,
  });
  const from = sender ? `“${sender}”` : "every sender";
  return (
    <Tooltip label="Remove">
      <ActionIcon
        variant="subtle"
        color="red"
        aria-label={`Remove ${number} from ${from}`}
        loading={remove.isPending}
        onClick={() =>
          confirmAction({
            title: `Send to ${number} again?`,
            children:
              reason === "stop"
                ? `This person answered STOP. Go on only if they have asked for messages from ${from} again.`
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
