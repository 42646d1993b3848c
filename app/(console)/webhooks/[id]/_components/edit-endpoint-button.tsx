"use client";

import { Button, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { sharedTexts } from "@/app/_texts/shared";
import { endpointTexts as texts } from "@/app/_texts/webhooks/endpoint";
import { trpc } from "@/app/_trpc/client";
import { ifHolds } from "@/app/_ui/changes/outcome";
import { useChange } from "@/app/_ui/changes/use-change";
import { lazily } from "@/app/_ui/connection/connection";
import { FormModal } from "@/app/_ui/forms/form-modal";
import { IconPencil } from "@/app/_ui/icons/icons";
import { toastDone } from "@/app/_ui/toast";
import type { WebhookEndpoint } from "@/server/webhooks/schema";

const EndpointForm = lazily(() =>
  import("../../_components/endpoint-form").then((file) => ({ default: file.EndpointForm })),
);

const isSameSet = (asked: readonly string[], stored: readonly string[]): boolean =>
  asked.length === stored.length && asked.every((each) => stored.includes(each));

/** Changes URL, description and events of an endpoint. */
export function EditEndpointButton({ endpoint }: { endpoint: WebhookEndpoint }) {
  const [opened, dialog] = useDisclosure(false);
  return (
    <>
      <Button variant="default" leftSection={<IconPencil size={16} />} onClick={dialog.open}>
        {sharedTexts.edit}
      </Button>
      <FormModal opened={opened} onClose={dialog.close} title={texts.edit.title}>
        <EditEndpointForm endpoint={endpoint} onDone={dialog.close} />
      </FormModal>
    </>
  );
}

function EditEndpointForm({ endpoint, onDone }: { endpoint: WebhookEndpoint; onDone: () => void }) {
  const utils = trpc.useUtils();
  const update = useChange(utils.client.webhooks.update.mutate, {
    look: async ({ id, events, ...asked }) => {
      const found = await utils.client.webhooks.get.query({ id });
      const isSubscribed = !events || isSameSet(events, found.events);
      return isSubscribed ? ifHolds(found, asked) : undefined;
    },
    late: { failed: texts.edit.notChanged },
    onSuccess: () => toastDone(texts.edit.changed),
    onSettled: () => void utils.webhooks.invalidate(),
  });
  return (
    <Stack gap="md">
      <Text size="sm" c="dimmed">
        {texts.edit.effect}
      </Text>
      <EndpointForm
        endpoint={endpoint}
        label={texts.edit.form}
        failure={texts.edit.notChanged}
        action={sharedTexts.save}
        // Not called once the dialog was closed: it may be open again.
        save={(_, edited, onError) => update.mutate({ ...edited, id: endpoint.id }, { onSuccess: onDone, onError })}
        busy={update.isPending}
        onCancel={onDone}
      />
    </Stack>
  );
}
