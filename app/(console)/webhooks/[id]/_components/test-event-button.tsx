"use client";

import { Button, Group, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { endpointTexts as texts } from "@/app/_texts/webhooks/endpoint";
import { trpc } from "@/app/_trpc/client";
import { useSingle } from "@/app/_ui/changes/use-single";
import { Dialog } from "@/app/_ui/forms/dialog";
import { IconSend } from "@/app/_ui/icons/icons";
import { toastFailed } from "@/app/_ui/toast";
import { CodeBlock } from "@/app/_ui/values/code-block";
import { formatCount } from "@/app/_ui/values/count";
import { StatusBadge } from "@/app/_ui/values/status-badge";
import type { WebhookTest } from "@/server/webhooks/schema";

/** Posts one test event to the endpoint and shows the response. */
export function TestEventButton({ endpointId }: { endpointId: string }) {
  const [opened, dialog] = useDisclosure(false);
  const utils = trpc.useUtils();
  const test = useSingle(utils.client.webhooks.test.mutate, { onSuccess: dialog.open, onError: toastFailed });
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconSend size={16} />}
        loading={test.isPending}
        onClick={() => test.mutate({ id: endpointId })}
      >
        {texts.test.button}
      </Button>
      <Dialog opened={opened} onClose={dialog.close} title={texts.test.title}>
        {test.data && <TestResult result={test.data} />}
      </Dialog>
    </>
  );
}

function TestResult({ result }: { result: WebhookTest }) {
  return (
    <Stack gap="md">
      <Group gap="sm">
        <StatusBadge tone={result.delivered ? "success" : "danger"}>
          {result.delivered ? texts.test.delivered : texts.test.notDelivered}
        </StatusBadge>
        <Text size="sm" c="dimmed" className="tabular">
          {result.status_code === null
            ? texts.test.noResponse(formatCount(result.latency_ms))
            : texts.test.response(result.status_code, formatCount(result.latency_ms))}
        </Text>
      </Group>
      {result.error && (
        <Text size="sm" c="var(--mantine-color-error)" style={{ overflowWrap: "anywhere" }}>
          {result.error}
        </Text>
      )}
      {result.response_head && (
        <CodeBlock value={result.response_head} copyLabel={texts.test.copyResponse} maxHeight={240} />
      )}
      <Text size="sm" c="dimmed">
        {texts.test.about}
      </Text>
    </Stack>
  );
}
