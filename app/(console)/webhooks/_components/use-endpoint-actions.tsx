"use client";

import { endpointPartsTexts as texts } from "@/app/_texts/webhooks/parts";
import { trpc } from "@/app/_trpc/client";
import { ifGone } from "@/app/_ui/changes/outcome";
import { useChange } from "@/app/_ui/changes/use-change";
import { confirmAction } from "@/app/_ui/forms/confirm";
import { toastDone, toastFailed } from "@/app/_ui/toast";
import type { WebhookEndpoint } from "@/server/webhooks/schema";

/** The actions on an endpoint with their confirmation and toasts. `onDeleted` runs after deletion. */
export function useEndpointActions(endpoint: WebhookEndpoint, onDeleted?: () => void) {
  const utils = trpc.useUtils();
  const enable = useChange(utils.client.webhooks.enable.mutate, {
    look: async (asked) => {
      const found = await utils.client.webhooks.get.query(asked);
      return found.is_active ? found : undefined;
    },
    onSuccess: () => toastDone(texts.enabled),
    onError: toastFailed,
    onSettled: () => utils.webhooks.invalidate(),
  });
  const pause = useChange(utils.client.webhooks.pause.mutate, {
    look: async (asked) => {
      const found = await utils.client.webhooks.get.query(asked);
      return found.is_active ? undefined : found;
    },
    onSuccess: ({ paused_at }) => toastDone(paused_at ? texts.hasPaused : texts.isDisabled),
    onError: toastFailed,
    onSettled: () => utils.webhooks.invalidate(),
  });
  const resume = useChange(utils.client.webhooks.resume.mutate, {
    look: async (asked) => {
      const found = await utils.client.webhooks.get.query(asked);
      return found.is_active ? found : undefined;
    },
    onSuccess: () => toastDone(texts.resumed),
    onError: toastFailed,
    onSettled: () => utils.webhooks.invalidate(),
  });
  const remove = useChange(utils.client.webhooks.delete.mutate, {
    look: (asked) => ifGone(() => utils.client.webhooks.get.query(asked), { id: asked.id, deleted: true }),
    onSuccess: () => {
      toastDone(texts.delete.deleted);
      onDeleted?.();
    },
    onError: toastFailed,
    onSettled: () => utils.webhooks.list.invalidate(),
  });
  return {
    isEnabling: enable.isPending,
    isPausing: pause.isPending,
    isResuming: resume.isPending,
    isDeleting: remove.isPending,
    enable: () => enable.mutate({ id: endpoint.id }),
    pause: () => pause.mutate({ id: endpoint.id }),
    resume: () => resume.mutate({ id: endpoint.id }),
    askToDelete: () =>
      confirmAction({
        title: texts.delete.title,
        children: texts.delete.effect(<strong style={{ overflowWrap: "anywhere" }}>{endpoint.url}</strong>),
        confirmLabel: texts.delete.submit,
        onConfirm: () => remove.mutate({ id: endpoint.id }),
      }),
  };
}
