"use client";

import { Button } from "@mantine/core";
import { messageTexts } from "@/app/_texts/messages/detail";
import { trpc } from "@/app/_trpc/client";
import { useChange } from "@/app/_ui/changes/use-change";
import { confirmAction } from "@/app/_ui/forms/confirm";
import { IconTrash } from "@/app/_ui/icons/icons";
import { toastDone, toastFailed } from "@/app/_ui/toast";

/** Deletes the text of a message that has ended, once it is confirmed. */
export function RedactButton({ id, to }: { id: string; to: string }) {
  const texts = messageTexts.redact;
  const utils = trpc.useUtils();
  const redact = useChange(utils.client.messages.redact.mutate, {
    look: async (asked) => {
      const message = await utils.client.messages.get.query(asked);
      return message.body === "" ? message : undefined;
    },
    onSuccess: () => toastDone(texts.done),
    onError: toastFailed,
    onSettled: () => utils.messages.invalidate(),
  });
  return (
    <Button
      variant="default"
      leftSection={<IconTrash size={16} aria-hidden />}
      loading={redact.isPending}
      onClick={() =>
        confirmAction({
          title: texts.title(to),
          children: texts.explanation,
          confirmLabel: texts.submit,
          cancelLabel: texts.keep,
          onConfirm: () => redact.mutate({ id }),
        })
      }
    >
      {texts.submit}
    </Button>
  );
}
