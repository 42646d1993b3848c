"use client";

import { Button, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { deliveriesTexts as texts } from "@/app/_texts/webhooks/deliveries";
import { trpc } from "@/app/_trpc/client";
import { Dialog } from "@/app/_ui/forms/dialog";
import { IconBraces } from "@/app/_ui/icons/icons";
import { QueryState } from "@/app/_ui/lists/query-state";
import { CodeBlock } from "@/app/_ui/values/code-block";
import type { AnyEvent, Delivery } from "@/server/webhooks/schema";

const INDENT = 2;

/** Shows the JSON that a delivery sends, to compare it with what a server received. */
export function PayloadButton({ delivery }: { delivery: Delivery }) {
  const { event_id: eventId, event_type: type, message_id } = delivery;
  const [opened, dialog] = useDisclosure(false);
  const events = trpc.webhooks.events.useQuery({ type, message_id }, { enabled: opened });
  return (
    <>
      <Button size="xs" variant="default" leftSection={<IconBraces size={14} aria-hidden />} onClick={dialog.open}>
        {texts.viewPayload}
      </Button>
      <Dialog opened={opened} onClose={dialog.close} title={texts.payload.title(type)} size="lg">
        <PayloadState query={events} eventId={eventId} />
      </Dialog>
    </>
  );
}

type EventsQuery = { data: { items: AnyEvent[] } | undefined; error: unknown; refetch: () => unknown };

/** Reads the query inside the dialog, which is loaded late, as that of a request does. */
function PayloadState({ query, eventId }: { query: EventsQuery; eventId: string }) {
  return (
    <QueryState query={query}>
      {({ items }) => {
        const event = items.find(({ id }) => id === eventId);
        if (!event) return <Text size="sm">{texts.payload.gone}</Text>;
        return <CodeBlock value={JSON.stringify(event, null, INDENT)} copyLabel={texts.payload.copy} maxHeight={520} />;
      }}
    </QueryState>
  );
}
