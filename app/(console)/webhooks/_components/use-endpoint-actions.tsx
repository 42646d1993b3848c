"use client";

import { endpointPartsTexts as texts } from "@/app/_texts/webhooks/parts";
import { trpc } from "@/app/_trpc/client";
import { confirmAction } from "@/app/_ui/forms/confirm";
import { toastDone, toastFailed } from "@/app/_ui/toast";
import type { WebhookEndpoint } from "@/server/webhooks/schema";

/** The actions on an endpoint with their confirmation and toasts. `onDeleted` runs after deletion. */
export function useEndpointActions(endpoint: WebhookEndpoint, onDeleted?: () => void) {
  const utils = trpc.useUtils();
  const enable = trpc.webhooks.enable.useMutation({
    onSuccess: () => {
      toastDone(texts.enabled);
      return utils.webhooks.invalidate();
    },
    onError: toastFailed,
  });
  const remove = trpc.webhooks.delete.useMutation({
    onSuccess: () => {
      toastDone(texts.delete.deleted);
      onDeleted?.();
      return utils.webhooks.list.invalidate();
    },
    onError: toastFailed,
  });
  return {
    isEnabling: enable.isPending,
    isDeleting: remove.isPending,
    enable: () => enable.mutate({ id: endpoint.id }),
    askToDelete: () =>
      confirmAction({
        title: texts.delete.title,
        children: texts.delete.effect(<strong style={{ overflowWrap: "anywhere" }}>{endpoint.url}</strong>),
        confirmLabel: texts.delete.submit,
        onConfirm: () => remove.mutate({ id: endpoint.id }),
      }),
  };
}
