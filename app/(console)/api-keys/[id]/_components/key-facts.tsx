import { Anchor, Card, DataList, Text, Title } from "@mantine/core";
import { apiKeyTexts as texts } from "@/app/_texts/api-keys/key";
import { sharedTexts } from "@/app/_texts/shared";
import { PageLink } from "@/app/_ui/frame/page-link";
import { formatCount } from "@/app/_ui/values/count";
import { Copied, Fact } from "@/app/_ui/values/fact";
import { KeyState, Scopes } from "@/app/_ui/values/key-cells";
import { ExactTime } from "@/app/_ui/values/time";
import type { ApiKeyDetail } from "@/server/api-keys/schema";

/** The fields of a key. `keys`: all keys of its account; it may have created some of them. */
export function KeyFacts({ apiKey, keys }: { apiKey: ApiKeyDetail; keys: readonly ApiKeyDetail[] }) {
  const made = keys.filter(({ created_by: by }) => by === apiKey.id);
  return (
    <Card component="section" aria-labelledby="key-details" h="100%">
      <Title order={2} size="h4" mb="md" id="key-details">
        {texts.facts.title}
      </Title>
      <DataList withDivider labelWidth={136}>
        <Fact label={texts.facts.state}>
          <KeyState apiKey={apiKey} />
        </Fact>
        <Fact label={texts.facts.mode}>{apiKey.livemode ? texts.facts.live : texts.facts.test}</Fact>
        <Fact label={texts.facts.id}>
          <Copied value={apiKey.id} label={texts.facts.copyId} />
        </Fact>
        <Fact label={texts.facts.permissions}>
          <Scopes permissions={apiKey.permissions} />
        </Fact>
        <Fact label={texts.facts.requests}>{texts.facts.perMinute(formatCount(apiKey.rate_limit))}</Fact>
        <Fact label={texts.facts.messages}>
          <MessageLimits apiKey={apiKey} />
        </Fact>
        <Fact label={texts.facts.addresses}>
          {apiKey.allowed_ips ? (
            <Text inherit className="mono break-word">
              {apiKey.allowed_ips.join(", ")}
            </Text>
          ) : (
            texts.facts.anyAddress
          )}
        </Fact>
        <Fact label={texts.facts.expires}>
          <ExactTime value={apiKey.expires_at} fallback={texts.facts.never} />
        </Fact>
        {apiKey.revoked_at && (
          <Fact label={texts.facts.revoked}>
            <ExactTime value={apiKey.revoked_at} />
          </Fact>
        )}
        <Fact label={texts.facts.lastUsed}>
          <ExactTime value={apiKey.last_used_at} fallback={texts.facts.never} />
        </Fact>
        <Fact label={sharedTexts.created}>
          {apiKey.created_by ? (
            texts.facts.createdBy(<ExactTime value={apiKey.created_at} />, <KeyLink id={apiKey.created_by} of={keys} />)
          ) : (
            <ExactTime value={apiKey.created_at} />
          )}
        </Fact>
        {made.length > 0 && (
          <Fact label={texts.facts.createdKeys}>
            {made.map(({ id }) => (
              <div key={id}>
                <KeyLink id={id} of={keys} />
              </div>
            ))}
          </Fact>
        )}
      </DataList>
    </Card>
  );
}

function MessageLimits({ apiKey: { daily_limit: daily, monthly_limit: monthly } }: { apiKey: ApiKeyDetail }) {
  const limits = [
    typeof daily === "number" && texts.facts.perDay(formatCount(daily)),
    typeof monthly === "number" && texts.facts.perMonth(formatCount(monthly)),
  ].filter((limit) => limit !== false);
  return limits.length > 0 ? limits.join(", ") : texts.facts.noLimit;
}

/** Another key by its name; one that is no longer listed, by its id. */
function KeyLink({ id, of }: { id: string; of: readonly ApiKeyDetail[] }) {
  const name = of.find((key) => key.id === id)?.name;
  if (name === undefined) return <span className="mono break-word">{id}</span>;
  return (
    <Anchor component={PageLink} href={`/api-keys/${id}`} inherit underline="always" className="break-word" dir="auto">
      {name}
    </Anchor>
  );
}
