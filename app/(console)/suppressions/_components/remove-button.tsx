"use client";

import { ActionIcon } from "@mantine/core";
import { suppressionsTexts } from "@/app/_texts/suppressions/list";
import { trpc } from "@/app/_trpc/client";
import { cannotTell } from "@/app/_ui/changes/outcome";
import { useChange } from "@/app/_ui/changes/use-change";
import { confirmAction } from "@/app/_ui/forms/confirm";
import { IconTrash } from "@/app/_ui/icons/icons";
import { toastDone, toastFailed } from "@/app/_ui/toast";
import { Tooltip } from "@/app/_ui/tooltip";
import type { Suppression } from "@/server/suppressions/schema";

/** Suppressions of a number that are searched after a lost response, one per sender at most; with more, the outcome stays unknown. */
const LOOK_MAX = 100;

/** Removes a suppression after confirmation, with a reminder of consent if the person sent STOP. */
export function RemoveButton({ suppression: { id, number, sender_id: sender, reason } }: { suppression: Suppression }) {
  const texts = suppressionsTexts.remove;
  const utils = trpc.useUtils();
  const remove = useChange(utils.client.suppressions.delete.mutate, {
    look: async (asked) => {
      const { items, pagination } = await utils.client.suppressions.list.query({ number, limit: LOOK_MAX });
      if (pagination.has_more) cannotTell();
      return items.some((each) => each.id === asked.id) ? undefined : { id: asked.id, deleted: true };
    },
    onSuccess: () => toastDone(texts.done(number)),
    onError: toastFailed,
    onSettled: () => utils.suppressions.invalidate(),
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
