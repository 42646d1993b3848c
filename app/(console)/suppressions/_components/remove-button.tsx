"use client";

import { ActionIcon } from "@mantine/core";
import { suppressionsTexts } from "@/app/_texts/suppressions/list";
import { trpc } from "@/app/_trpc/client";
import { confirmAction } from "@/app/_ui/forms/confirm";
import { IconTrash } from "@/app/_ui/icons/icons";
import { toastDone, toastFailed } from "@/app/_ui/toast";
import { Tooltip } from "@/app/_ui/tooltip";
import type { Suppression } from "@/server/suppressions/schema";

/** Removes a suppression after confirmation, with a reminder of consent if the person sent STOP. */
export function RemoveButton({ suppression: { id, number, sender_id: sender, reason } }: { suppression: Suppression }) {
  const texts = suppressionsTexts.remove;
  const utils = trpc.useUtils();
  const remove = trpc.suppressions.delete.useMutation({
    onSuccess: () => {
      toastDone(texts.done(number));
      return utils.suppressions.invalidate();
    },
    onError: toastFailed,
  });
  const stopped = sender ? texts.stoppedSender(sender) : texts.stoppedAllSenders;
  const again = sender ? texts.againFromSender(sender) : texts.againFromAllSenders;
  return (
    <Tooltip label={texts.label}>
      <ActionIcon
        variant="subtle"
        color="red"
        aria-label={sender ? texts.ofSender(number, sender) : texts.ofAllSenders(number)}
        loading={remove.isPending}
        onClick={() =>
          confirmAction({
            title: texts.title(number),
            children: reason === "stop" ? stopped : again,
            confirmLabel: texts.submit,
            onConfirm: () => remove.mutate({ id }),
          })
        }
      >
        <IconTrash size={16} />
      </ActionIcon>
    </Tooltip>
  );
}
