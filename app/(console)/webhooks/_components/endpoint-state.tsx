import { Text } from "@mantine/core";
import { EVENT_TYPES, STATUS_EVENT_TYPES } from "@/app/_ui/values/event-type-badge";
import { StatusBadge } from "@/app/_ui/values/status-badge";
import type { WebhookEndpoint } from "@/server/webhooks/schema";

/** Disabled, failing (the last try failed) or active. */
export function EndpointState({ endpoint }: { endpoint: WebhookEndpoint }) {
  if (!endpoint.is_active) return <StatusBadge tone="danger">Disabled</StatusBadge>;
  if (endpoint.failure_count > 0) return <StatusBadge tone="warning">Failing</StatusBadge>;
  return <StatusBadge tone="success">Active</StatusBadge>;
}

/** The event types that the endpoint is subscribed to. */
export function EndpointEvents({ endpoint }: { endpoint: WebhookEndpoint }) {
  const { events } = endpoint;
  if (events.length === EVENT_TYPES.length) return <Text size="sm">All events</Text>;
  if (STATUS_EVENT_TYPES.every((type) => events.includes(type))) return <Text size="sm">All status changes</Text>;
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
