"use client";

import { messageTexts } from "@/app/_texts/messages/detail";
import { trpc } from "@/app/_trpc/client";
import { useChange } from "@/app/_ui/changes/use-change";
import { IconTrash } from "@/app/_ui/icons/icons";
import { toastDone, toastFailed } from "@/app/_ui/toast";
import { ConfirmedButton } from "./confirmed-button";

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
    <ConfirmedButton
      texts={texts}
      to={to}
      icon={<IconTrash size={16} aria-hidden />}
      busy={redact.isPending}
      onConfirm={() => redact.mutate({ id })}
    />
  );
}
