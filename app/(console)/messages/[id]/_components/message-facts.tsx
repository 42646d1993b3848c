import { Anchor, Card, DataList, Text, Title } from "@mantine/core";
import { messageTexts } from "@/app/_texts/messages/detail";
import { sharedTexts } from "@/app/_texts/shared";
import { trpc } from "@/app/_trpc/client";
import { PageLink } from "@/app/_ui/frame/page-link";
import { formatCount } from "@/app/_ui/values/count";
import { Copied, Fact, FactLink } from "@/app/_ui/values/fact";
import { Money } from "@/app/_ui/values/money";
import { providerName } from "@/app/_ui/values/provider-name";
import { ExactTime } from "@/app/_ui/values/time";
import { isE164 } from "@/server/messages/phone";
import type { MessageDetail } from "@/server/messages/schema";

/** The fields of a message. */
export function MessageFacts({ detail }: { detail: MessageDetail }) {
  const { message, reference, encoding, segments } = detail;
  const texts = messageTexts.facts;
  return (
    <Card component="section" aria-label={texts.title}>
      <Title order={2} size="h4" mb="md">
        {texts.title}
      </Title>
      <DataList withDivider labelWidth={150}>
        <Fact label={texts.id}>
          <Copied value={message.id} label={texts.copyId} />
        </Fact>
        <Fact label={texts.to}>
          <Copied value={message.to} label={texts.copyTo} />
          {isE164(message.to) && (
            <FactLink href={`/messages?${new URLSearchParams({ to: message.to })}`}>{texts.allToNumber}</FactLink>
          )}
        </Fact>
        <Fact label={texts.from}>{message.from}</Fact>
        {/* During an upgrade, a process of the previous version does not return this field. */}
        {detail.api_key !== undefined && (
          <Fact label={texts.source}>
            <MessageSource messageId={message.id} apiKey={detail.api_key} />
          </Fact>
        )}
        <Fact label={texts.cost}>
          <Money amount={message.cost} currency={message.currency} />
        </Fact>
        <Fact label={texts.segments}>
          {formatCount(segments)} ({encoding})
        </Fact>
        <Fact label={texts.provider}>{providerName(message.provider) || "–"}</Fact>
        <Fact label={texts.providerMessageId}>
          {message.provider_message_id ? (
            <Copied value={message.provider_message_id} label={texts.copyProviderMessageId} />
          ) : (
            "–"
          )}
        </Fact>
        <Fact label={texts.attempts}>{formatCount(message.attempts)}</Fact>
        <Fact label={texts.reference}>
          {reference ? <Copied value={reference} label={texts.copyReference} /> : "–"}
        </Fact>
        {Object.entries(message.metadata ?? {}).map(([key, value]) => (
          <Fact key={key} label={<MetadataKey name={key} />}>
            <Copied value={value} label={texts.copyMetadata(key)} />
          </Fact>
        ))}
        <Fact label={sharedTexts.created}>
          <ExactTime value={message.created_at} />
        </Fact>
        {message.scheduled_at && (
          <Fact label={texts.scheduledFor}>
            <ExactTime value={message.scheduled_at} />
          </Fact>
        )}
        {message.validity_period !== null && (
          <Fact label={texts.validityPeriod}>
            {texts.seconds(message.validity_period, formatCount(message.validity_period))}
          </Fact>
        )}
        {message.sent_at && (
          <Fact label={texts.sent}>
            <ExactTime value={message.sent_at} />
          </Fact>
        )}
        {message.delivered_at && (
          <Fact label={texts.delivered}>
            <ExactTime value={message.delivered_at} />
          </Fact>
        )}
        {message.failed_at && (
          <Fact label={texts.failed}>
            <ExactTime value={message.failed_at} />
          </Fact>
        )}
      </DataList>
    </Card>
  );
}

/** Whether a program or a person sent it; for a program, also its key and, while it is logged, the request. */
function MessageSource({ messageId, apiKey }: { messageId: string; apiKey: MessageDetail["api_key"] }) {
  const texts = messageTexts.facts;
  const request = trpc.requestLog.ofMessage.useQuery({ message_id: messageId }, { enabled: apiKey !== null });
  if (apiKey === null) return texts.console;
  const requestId = request.data?.request_id;
  return (
    <>
      {texts.apiKey(
        <Anchor component={PageLink} href={`/api-keys/${apiKey.id}`} inherit underline="always" dir="auto">
          {apiKey.name}
        </Anchor>,
      )}
      {requestId && <FactLink href={`/requests?open=${requestId}`}>{texts.viewRequest}</FactLink>}
    </>
  );
}

/** A key of metadata, distinguishable from our own labels. */
const MetadataKey = ({ name }: { name: string }) => (
  <Text inherit span className="mono" style={{ overflowWrap: "anywhere" }}>
    {name}
  </Text>
);
