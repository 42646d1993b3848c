"use client";

import { trpc } from "@/app/_trpc/client";
import { confirmAction } from "@/app/_ui/forms/confirm";
import { toastDone, toastFailed } from "@/app/_ui/toast";
import type { WebhookEndpoint } from "@/server/webhooks/schema";

/** The actions on an endpoint with their confirmation and toasts. `onDeleted` runs after deletion. */
export function useEndpointActions(endpoint: WebhookEndpoint, onDeleted?: () => void) {
  const utils = trpc.useUtils();
  const enable = trpc.webhooks.enable.useMutation({
    onSuccess: () => {
      toastDone("Endpoint enabled. New events are sent to it again.");
      return utils.webhooks.invalidate();
    },
    onError: toastFailed,
  });
  const remove = trpc.webhooks.delete.useMutation({
    onSuccess: () => {
      toastDone("Endpoint deleted");
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
        title: "Delete this endpoint?",
        children: (
          <>
            Events are no longer sent to <strong style={{ overflowWrap: "anywhere" }}>{endpoint.url}</strong>. This
            cannot be undone.
          </>
        ),
        confirmLabel: "Delete endpoint",
        onConfirm: () => remove.mutate({ id: endpoint.id }),
      }),
  };
}
