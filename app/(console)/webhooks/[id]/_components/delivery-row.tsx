"use client";

import { Anchor, Box, Button, Collapse, Group, Stack, Text, UnstyledButton } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IfMayChange } from "@/app/_shell/may-change";
import { deliveriesTexts as texts } from "@/app/_texts/webhooks/deliveries";
import { PageLink } from "@/app/_ui/frame/page-link";
import { IconChevronDown, IconChevronRight, IconRefresh } from "@/app/_ui/icons/icons";
import { CodeBlock } from "@/app/_ui/values/code-block";
import { formatCount } from "@/app/_ui/values/count";
import { StatusBadge, type Tone } from "@/app/_ui/values/status-badge";
import { Time } from "@/app/_ui/values/time";
import { isAcknowledged } from "@/server/webhooks/delivery/retry";
import type { Delivery, NumberedDelivery } from "@/server/webhooks/schema";
import { useResend } from "./chosen-deliveries";
import { PayloadButton } from "./payload-button";
import { isFailing, isResendable } from "./resendable";

const TONES: Record<Delivery["status"], Tone> = {
  pending: "neutral",
  delivered: "success",
  abandoned: "danger",
  held: "warning",
};

/** State of a delivery: one that waits after a failed try is shown as failing. */
const viewOfDelivery = (delivery: Delivery): { label: string; tone: Tone } =>
  isFailing(delivery)
    ? { label: texts.failing, tone: "danger" }
    : { label: texts.statuses[delivery.status], tone: TONES[delivery.status] };

export const DELIVERY_STATUSES = Object.keys(TONES) as Delivery["status"][];

/** One event for the endpoint; expands to its tries. */
export function DeliveryRow({ delivery, endpointId }: { delivery: NumberedDelivery; endpointId: string }) {
  const [opened, { toggle }] = useDisclosure(false);
  const { label, tone } = viewOfDelivery(delivery);
  const Chevron = opened ? IconChevronDown : IconChevronRight;
  return (
    <Box data-opened={opened || undefined}>
      <UnstyledButton w="100%" onClick={toggle} aria-expanded={opened}>
        <Group gap="sm" wrap="nowrap" align="flex-start">
          <Chevron size={18} aria-hidden style={{ flexShrink: 0, marginTop: 2 }} />
          <Group gap="sm" justify="space-between" flex={1} miw={0}>
            <Group gap="sm">
              <span className="mono small">{delivery.event_type}</span>
              <StatusBadge tone={tone}>{label}</StatusBadge>
              {delivery.number && <span className="small tabular nowrap">{delivery.number}</span>}
              <span className="mono small dimmed">{delivery.message_id}</span>
            </Group>
            <Group gap="md">
              <Text size="sm" c="dimmed" className="tabular nowrap">
                {triesOf(delivery)}
              </Text>
              <Text size="sm" component="div">
                <Time value={delivery.created_at} />
              </Text>
            </Group>
          </Group>
        </Group>
      </UnstyledButton>
      <Collapse expanded={opened} keepMounted={false}>
        <DeliveryTries delivery={delivery} endpointId={endpointId} />
      </Collapse>
    </Box>
  );
}

const triesOf = ({ tries }: Delivery) =>
  tries.length === 0 ? texts.notTriedYet : texts.tries(tries.length, formatCount(tries.length));

function ResendButton({ delivery, endpointId }: { delivery: Delivery; endpointId: string }) {
  const { isSending, send } = useResend(endpointId);
  return (
    <Button
      size="xs"
      variant="default"
      leftSection={<IconRefresh size={14} aria-hidden />}
      loading={isSending}
      onClick={() => send([delivery.id])}
    >
      {delivery.status === "pending" ? texts.tryAgainNow : texts.sendAgain}
    </Button>
  );
}

function DeliveryTries({ delivery, endpointId }: { delivery: Delivery; endpointId: string }) {
  return (
    <Stack gap="md" pl={{ base: 0, sm: 30 }} pt="md">
      <Group gap="lg">
        <Anchor
          component={PageLink}
          href={`/${delivery.event_type === "message.received" ? "inbound" : "messages"}/${delivery.message_id}`}
          size="sm"
        >
          {texts.viewMessage}
        </Anchor>
        <Text size="sm" c="dimmed" className="mono" style={{ overflowWrap: "anywhere" }}>
          {delivery.event_id}
        </Text>
        <PayloadButton delivery={delivery} />
        <IfMayChange>
          {isResendable(delivery) && <ResendButton delivery={delivery} endpointId={endpointId} />}
        </IfMayChange>
        {delivery.status === "pending" && delivery.next_attempt_at && (
          <Text size="sm" c="dimmed" component="div">
            {texts.nextTry(<Time value={delivery.next_attempt_at} />)}
          </Text>
        )}
      </Group>
      {delivery.tries.map((attempt) => (
        <Try key={`${attempt.round}.${attempt.attempt}`} attempt={attempt} />
      ))}
    </Stack>
  );
}

function Try({ attempt }: { attempt: Delivery["tries"][number] }) {
  // Each round counts again from 1. It may have begun by a recovery, by hand, or by itself.
  const name = attempt.round === 0 ? texts.try(attempt.attempt) : texts.tryOfRound(attempt.attempt, attempt.round);
  return (
    <Stack gap={6} component="section" aria-label={name}>
      <Group gap="sm">
        <Text size="sm" fw={600}>
          {name}
        </Text>
        <StatusBadge tone={attempt.status_code !== null && isAcknowledged(attempt.status_code) ? "success" : "danger"}>
          {attempt.status_code === null ? texts.noResponse : texts.response(attempt.status_code)}
        </StatusBadge>
        <Text size="sm" c="dimmed" className="tabular">
          {texts.milliseconds(formatCount(attempt.latency_ms))}
        </Text>
        <Text size="sm" c="dimmed" component="div">
          <Time value={attempt.created_at} />
        </Text>
      </Group>
      {attempt.error && (
        <Text size="sm" c="var(--mantine-color-error)" style={{ overflowWrap: "anywhere" }}>
          {attempt.error}
        </Text>
      )}
      {attempt.response_head && (
        <CodeBlock value={attempt.response_head} copyLabel={texts.copyResponse} maxHeight={240} />
      )}
    </Stack>
  );
}
