"use client";

import { Card, DataList, Grid, Text, Title } from "@mantine/core";
import { trpc } from "@/app/_trpc/client";
import { apiErrorOf } from "@/app/_ui/forms/api-error";
import { BackLink } from "@/app/_ui/frame/back-link";
import { LinkButton } from "@/app/_ui/frame/link-button";
import { PageHeader } from "@/app/_ui/frame/page-header";
import { usePageTitle } from "@/app/_ui/frame/use-page-title";
import { IconMessageOff } from "@/app/_ui/icons/icons";
import { EmptyState } from "@/app/_ui/lists/empty-state";
import { QueryState } from "@/app/_ui/lists/query-state";
import { CodeBlock } from "@/app/_ui/values/code-block";
import { Copied, Fact } from "@/app/_ui/values/fact";
import { Time } from "@/app/_ui/values/time";
import type { InboundMessage } from "@/server/inbound/schema";
import { ActionBadge } from "../../_components/action-badge";

const INDENT = 2;

/** One inbound message, with its event as webhooks carry it. */
export function InboundMessageView({ id }: { id: string }) {
  const message = trpc.inbound.get.useQuery({ id });
  usePageTitle(message.data ? `Message from ${message.data.from}` : "Inbound message");
  if (apiErrorOf(message.error).status === 404) return <NoSuchMessage />;
  return (
    <>
      <BackLink href="/inbound">All inbound messages</BackLink>
      <QueryState query={message}>
        {(data) => (
          <div>
            <PageHeader
              title={`Message from ${data.from}`}
              description={effectOf(data)}
              actions={<ActionBadge action={data.action} />}
            />
            <Grid gap="lg">
              <Grid.Col span={{ base: 12, md: 6 }}>
                <MessageText body={data.body} />
                <Facts message={data} />
              </Grid.Col>
              <Grid.Col span={{ base: 12, md: 6 }}>
                <EventCard id={id} />
              </Grid.Col>
            </Grid>
          </div>
        )}
      </QueryState>
    </>
  );
}

function effectOf({ action, to }: InboundMessage): string {
  if (action === "opt_out") return `It asked to stop: messages from ${to} to this number now fail.`;
  if (action === "opt_in") return `It asked for messages from ${to} again.`;
  return `To ${to}.`;
}

function MessageText({ body }: { body: string }) {
  return (
    <Card component="section" aria-label="Text" mb="lg">
      <Title order={2} size="h4" mb="sm">
        Text
      </Title>
      <Text style={{ whiteSpace: "pre-wrap", overflowWrap: "anywhere" }} dir="auto" c={body ? undefined : "dimmed"}>
        {body || "The message has no text."}
      </Text>
    </Card>
  );
}

function Facts({ message }: { message: InboundMessage }) {
  return (
    <Card component="section" aria-label="Details">
      <Title order={2} size="h4" mb="md">
        Details
      </Title>
      <DataList withDivider labelWidth={136}>
        <Fact label="Message ID">
          <Copied value={message.id} label="Copy message ID" />
        </Fact>
        <Fact label="From">
          <Copied value={message.from} label="Copy sender" />
        </Fact>
        <Fact label="To">{message.to}</Fact>
        <Fact label="Provider">{message.provider}</Fact>
        <Fact label="Provider’s message ID">
          <Copied value={message.provider_message_id} label="Copy the provider's message ID" />
        </Fact>
        <Fact label="Received">
          <Time value={message.received_at} />
        </Fact>
        <Fact label="Stored">
          <Time value={message.created_at} />
        </Fact>
      </DataList>
    </Card>
  );
}

/** The event of the message; messages that were received by versions before the event have none. */
function EventCard({ id }: { id: string }) {
  const events = trpc.webhooks.events.useQuery({ message_id: id, type: "message.received" });
  return (
    <Card component="section" aria-label="Event">
      <Title order={2} size="h4" mb={4}>
        Event
      </Title>
      <Text size="sm" c="dimmed" mb="md">
        Posted to endpoints that are subscribed to message.received.
      </Text>
      <QueryState query={events}>
        {({ items: [event] }) =>
          event ? (
            <CodeBlock value={JSON.stringify(event, null, INDENT)} copyLabel="Copy payload" maxHeight={420} />
          ) : (
            <Text size="sm">This message has no event.</Text>
          )
        }
      </QueryState>
    </Card>
  );
}

function NoSuchMessage() {
  return (
    <Card>
      <EmptyState
        icon={IconMessageOff}
        title="Inbound message not found"
        isPage
        action={
          <LinkButton href="/inbound" variant="light">
            All inbound messages
          </LinkButton>
        }
      >
        The link may be wrong, or the message belongs to another account.
      </EmptyState>
    </Card>
  );
}
