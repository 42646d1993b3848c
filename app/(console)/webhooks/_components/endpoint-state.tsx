import { Text } from "@mantine/core";
import { endpointPartsTexts as texts } from "@/app/_texts/webhooks/parts";
import { EVENT_TYPES, STATUS_EVENT_TYPES } from "@/app/_ui/values/event-type-badge";
import { StatusBadge } from "@/app/_ui/values/status-badge";
import type { WebhookEndpoint } from "@/server/webhooks/schema";

/** Paused, disabled, failing (the last try failed) or active. */
export function EndpointState({ endpoint }: { endpoint: WebhookEndpoint }) {
  if (endpoint.paused_at) return <StatusBadge tone="neutral">{texts.paused}</StatusBadge>;
  if (!endpoint.is_active) return <StatusBadge tone="danger">{texts.disabled}</StatusBadge>;
  if (endpoint.failure_count > 0) return <StatusBadge tone="warning">{texts.failing}</StatusBadge>;
  return <StatusBadge tone="success">{texts.active}</StatusBadge>;
}

/** The event types that the endpoint is subscribed to. */
export function EndpointEvents({ endpoint }: { endpoint: WebhookEndpoint }) {
  const { events } = endpoint;
  if (events.length === EVENT_TYPES.length) return <Text size="sm">{texts.allEvents}</Text>;
  if (STATUS_EVENT_TYPES.every((type) => events.includes(type))) return <Text size="sm">{texts.allStatusChanges}</Text>;
  return (
    <>
      {events.map((type) => (
        <Text key={type} size="xs" c="dimmed" className="mono nowrap">
          {type}
        </Text>
      ))}
    </>
  );
}
