"use client";

import { Button, Group, Text } from "@mantine/core";
import { deliveriesTexts as texts } from "@/app/_texts/webhooks/deliveries";
import { trpc } from "@/app/_trpc/client";
import { useSingle } from "@/app/_ui/changes/use-single";
import { IconRefresh } from "@/app/_ui/icons/icons";
import { toastDone, toastFailed, toastProblem } from "@/app/_ui/toast";
import { formatCount } from "@/app/_ui/values/count";
import { exactTime } from "@/app/_ui/values/time";

/** Sends deliveries of an endpoint again; `onDone` runs once they are queued. */
export function useResend(endpointId: string, onDone?: () => void) {
  const utils = trpc.useUtils();
  const resend = useSingle(utils.client.webhooks.resend.mutate, {
    onSuccess: ({ recovered, left, tried_by: triedBy }) => {
      if (recovered > 0) toastDone(texts.queuedAgain(recovered, formatCount(recovered)));
      else if (!triedBy) toastDone(texts.queuedAlready);
      if (triedBy) toastProblem(texts.leftTitle(left, formatCount(left)), texts.leftUntil(exactTime(triedBy)));
      onDone?.();
    },
    onError: toastFailed,
    onSettled: () => utils.webhooks.invalidate(),
  });
  return {
    isSending: resend.isPending,
    send: (ids: string[]) => resend.mutate({ id: endpointId, delivery_ids: ids }),
  };
}

/** Actions on the chosen deliveries. */
export function ChosenDeliveries({
  endpointId,
  ids,
  onClear,
}: {
  endpointId: string;
  ids: string[];
  onClear: () => void;
}) {
  const { isSending, send } = useResend(endpointId, onClear);
  if (ids.length === 0) return null;
  return (
    <Group gap="sm" className="card-bar">
      <Text size="sm" fw={500} role="status" className="tabular">
        {texts.selected(formatCount(ids.length))}
      </Text>
      <Button
        size="xs"
        leftSection={<IconRefresh size={14} aria-hidden />}
        loading={isSending}
        onClick={() => send(ids)}
      >
        {texts.sendAgain}
      </Button>
      <Button size="xs" variant="subtle" onClick={onClear}>
        {texts.clear}
      </Button>
    </Group>
  );
}
