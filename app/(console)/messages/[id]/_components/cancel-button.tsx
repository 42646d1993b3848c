"use client";

import { messageTexts } from "@/app/_texts/messages/detail";
import { trpc } from "@/app/_trpc/client";
import { useChange } from "@/app/_ui/changes/use-change";
import { IconBan } from "@/app/_ui/icons/icons";
import { toastDone, toastFailed } from "@/app/_ui/toast";
import { isCanceled } from "@/app/_ui/values/message-status-badge";
import { ConfirmedButton } from "./confirmed-button";

/** Cancels a pending message once it is confirmed. If a provider takes it first, the error says so. */
export function CancelButton({ id, to }: { id: string; to: string }) {
  const texts = messageTexts.cancel;
  const utils = trpc.useUtils();
  const cancel = useChange(utils.client.messages.cancel.mutate, {
    look: async (asked) => {
      const message = await utils.client.messages.get.query(asked);
      return isCanceled(message) ? message : undefined;
    },
    onSuccess: () => toastDone(texts.done(to)),
    onError: toastFailed,
    onSettled: () => Promise.all([utils.messages.invalidate(), utils.accounts.invalidate()]),
  });
  return (
    <ConfirmedButton
      texts={texts}
      to={to}
      icon={<IconBan size={16} aria-hidden />}
      busy={cancel.isPending}
      onConfirm={() => cancel.mutate({ id })}
    />
  );
}
