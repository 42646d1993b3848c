"use client";

import { Button, Group, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { trpc } from "@/app/_trpc/client";
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
  const test = trpc.webhooks.test.useMutation({ onSuccess: dialog.open, onError: toastFailed });
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconSend size={16} />}
        loading={test.isPending}
        onClick={() => test.mutate({ id: endpointId })}
      >
        Send test event
      </Button>
      <Dialog opened={opened} onClose={dialog.close} title="Test event">
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
          {result.delivered ? "Delivered" : "Not delivered"}
        </StatusBadge>
        <Text size="sm" c="dimmed" className="tabular">
          {result.status_code === null ? "No response" : `HTTP ${result.status_code}`}, {formatCount(result.latency_ms)}{" "}
          ms
        </Text>
      </Group>
      {result.error && (
        <Text size="sm" c="var(--mantine-color-error)" style={{ overflowWrap: "anywhere" }}>
          {result.error}
        </Text>
      )}
      {result.response_head && <CodeBlock value={result.response_head} copyLabel="Copy response" maxHeight={240} />}
      <Text size="sm" c="dimmed">
        The test event has the header Service-Test: true and is about a message that does not exist. It is not listed
        under deliveries, not retried, and does not change the state of the endpoint.
      </Text>
    </Stack>
  );
}
