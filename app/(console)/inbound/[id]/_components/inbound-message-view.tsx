"use client";

import { Card, DataList, Grid, Text, Title } from "@mantine/core";
import { IfMayChange } from "@/app/_shell/may-change";
import { inboundMessageTexts as texts } from "@/app/_texts/inbound-message";
import { trpc } from "@/app/_trpc/client";
import { apiErrorOf } from "@/app/_ui/forms/api-error";
import { BackLink } from "@/app/_ui/frame/back-link";
import { LinkButton } from "@/app/_ui/frame/link-button";
import { PageHeader } from "@/app/_ui/frame/page-header";
import { usePageTitle } from "@/app/_ui/frame/use-page-title";
import { IconMessageOff, IconSend } from "@/app/_ui/icons/icons";
import { NotFoundCard } from "@/app/_ui/lists/not-found-card";
import { QueryState } from "@/app/_ui/lists/query-state";
import { CodeBlock } from "@/app/_ui/values/code-block";
import { Copied, Fact, FactLink } from "@/app/_ui/values/fact";
import { providerName } from "@/app/_ui/values/provider-name";
import { ExactTime } from "@/app/_ui/values/time";
import type { InboundMessage } from "@/server/inbound/schema";
import { isE164 } from "@/server/messages/phone";
import { ActionBadge } from "../../_components/action-badge";

const INDENT = 2;

/** One inbound message, with its event as webhooks carry it. */
export function InboundMessageView({ id }: { id: string }) {
  const message = trpc.inbound.get.useQuery({ id });
  usePageTitle(message.data ? texts.titleFrom(message.data.from) : texts.title);
  if (apiErrorOf(message.error).status === 404) return <NoSuchMessage />;
  return (
    <>
      <BackLink href="/inbound">{texts.all}</BackLink>
      <QueryState query={message}>
        {(data) => (
          <div>
            <PageHeader
              title={texts.titleFrom(data.from)}
              description={effectOf(data)}
              actions={
                <>
                  <ActionBadge action={data.action} />
                  {data.action !== "opt_out" && isE164(data.from) && (
                    <IfMayChange>
                      <LinkButton
                        href={`/send?${new URLSearchParams({ to: data.from, from: data.to })}`}
                        variant="default"
                        leftSection={<IconSend size={16} aria-hidden />}
                      >
                        {texts.reply}
                      </LinkButton>
                    </IfMayChange>
                  )}
                </>
              }
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
  if (action === "opt_out") return texts.optedOut(to);
  if (action === "opt_in") return texts.optedIn(to);
  return texts.sentTo(to);
}

function MessageText({ body }: { body: string }) {
  return (
    <Card component="section" aria-label={texts.text.title} mb="lg">
      <Title order={2} size="h4" mb="sm">
        {texts.text.title}
      </Title>
      <Text style={{ whiteSpace: "pre-wrap", overflowWrap: "anywhere" }} dir="auto" c={body ? undefined : "dimmed"}>
        {body || texts.text.none}
      </Text>
    </Card>
  );
}

function Facts({ message }: { message: InboundMessage }) {
  return (
    <Card component="section" aria-label={texts.details.title}>
      <Title order={2} size="h4" mb="md">
        {texts.details.title}
      </Title>
      <DataList withDivider labelWidth={150}>
        <Fact label={texts.details.id}>
          <Copied value={message.id} label={texts.details.copyId} />
        </Fact>
        <Fact label={texts.details.from}>
          <Copied value={message.from} label={texts.details.copyFrom} />
          {isE164(message.from) && (
            <>
              <FactLink href={`/messages?${new URLSearchParams({ to: message.from })}`}>
                {texts.details.allToNumber}
              </FactLink>
              <FactLink href={`/inbound?${new URLSearchParams({ from: message.from })}`}>
                {texts.details.allFromNumber}
              </FactLink>
            </>
          )}
        </Fact>
        <Fact label={texts.details.to}>{message.to}</Fact>
        <Fact label={texts.details.provider}>{providerName(message.provider)}</Fact>
        <Fact label={texts.details.providerId}>
          <Copied value={message.provider_message_id} label={texts.details.copyProviderId} />
        </Fact>
        <Fact label={texts.details.received}>
          <ExactTime value={message.received_at} />
        </Fact>
        <Fact label={texts.details.stored}>
          <ExactTime value={message.created_at} />
        </Fact>
      </DataList>
    </Card>
  );
}

/** The event of the message; messages that were received before such events existed have none. */
function EventCard({ id }: { id: string }) {
  const events = trpc.webhooks.events.useQuery({ message_id: id, type: "message.received" });
  return (
    <Card component="section" aria-label={texts.event.title}>
      <Title order={2} size="h4" mb={4}>
        {texts.event.title}
      </Title>
      <Text size="sm" c="dimmed" mb="md">
        {texts.event.description}
      </Text>
      <QueryState query={events}>
        {({ items: [event] }) =>
          event ? (
            <CodeBlock value={JSON.stringify(event, null, INDENT)} copyLabel={texts.event.copy} maxHeight={420} />
          ) : (
            <Text size="sm">{texts.event.none}</Text>
          )
        }
      </QueryState>
    </Card>
  );
}

const NoSuchMessage = () => (
  <NotFoundCard
    icon={IconMessageOff}
    title={texts.notFound.title}
    why={texts.notFound.text}
    all={{ href: "/inbound", label: texts.all }}
  />
);
