import { Card, DataList, Text, Title } from "@mantine/core";
import { formatCount } from "@/app/_ui/values/count";
import { Copied, Fact } from "@/app/_ui/values/fact";
import { Money } from "@/app/_ui/values/money";
import { providerName } from "@/app/_ui/values/provider-name";
import { Time } from "@/app/_ui/values/time";
import type { MessageDetail } from "@/server/messages/schema";

/** The fields of a message. */
export function MessageFacts({ detail: { message, reference, encoding, segments } }: { detail: MessageDetail }) {
  return (
    <Card component="section" aria-label="Details">
      <Title order={2} size="h4" mb="md">
        Details
      </Title>
      <DataList withDivider labelWidth={136}>
        <Fact label="Message ID">
          <Copied value={message.id} label="Copy message ID" />
        </Fact>
        <Fact label="To">
          <Copied value={message.to} label="Copy recipient" />
        </Fact>
        <Fact label="From">{message.from}</Fact>
        <Fact label="Cost">
          <Money amount={message.cost} currency={message.currency} />
        </Fact>
        <Fact label="Segments">
          {formatCount(segments)} ({encoding})
        </Fact>
        <Fact label="Provider">{providerName(message.provider) || "–"}</Fact>
        <Fact label="Provider’s message ID">
          {message.provider_message_id ? (
            <Copied value={message.provider_message_id} label="Copy the provider's message ID" />
          ) : (
            "–"
          )}
        </Fact>
        <Fact label="Attempts">{formatCount(message.attempts)}</Fact>
        <Fact label="Reference">{reference ? <Copied value={reference} label="Copy reference" /> : "–"}</Fact>
        {Object.entries(message.metadata ?? {}).map(([key, value]) => (
          <Fact key={key} label={<MetadataKey name={key} />}>
            <Copied value={value} label={`Copy ${key}`} />
          </Fact>
        ))}
        <Fact label="Created">
          <Time value={message.created_at} />
        </Fact>
        {message.scheduled_at && (
          <Fact label="Scheduled for">
            <Time value={message.scheduled_at} />
          </Fact>
        )}
        {message.validity_period !== null && (
          <Fact label="Validity period">{formatCount(message.validity_period)} seconds</Fact>
        )}
        {message.sent_at && (
          <Fact label="Sent">
            <Time value={message.sent_at} />
          </Fact>
        )}
        {message.delivered_at && (
          <Fact label="Delivered">
            <Time value={message.delivered_at} />
          </Fact>
        )}
        {message.failed_at && (
          <Fact label="Failed">
            <Time value={message.failed_at} />
          </Fact>
        )}
      </DataList>
    </Card>
  );
}

/** A key of metadata, distinguishable from our own labels. */
const MetadataKey = ({ name }: { name: string }) => (
  <Text inherit span className="mono" style={{ overflowWrap: "anywhere" }}>
    {name}
  </Text>
);
