import { Anchor, Card, DataList, Text, Title } from "@mantine/core";
import Link from "next/link";
import { formatCount } from "@/app/_ui/values/count";
import { Copied, Fact } from "@/app/_ui/values/fact";
import { Time } from "@/app/_ui/values/time";
import type { ApiKey } from "@/server/api-keys/schema";
import { KeyState, Scopes } from "../../_components/key-cells";

/** The fields of a key. `keys`: all of its account, some of which it may have made. */
export function KeyFacts({ apiKey, keys }: { apiKey: ApiKey; keys: readonly ApiKey[] }) {
  const made = keys.filter(({ created_by: by }) => by === apiKey.id);
  return (
    <Card component="section" aria-labelledby="key-details" h="100%">
      <Title order={2} size="h4" mb="md" id="key-details">
        Details
      </Title>
      <DataList withDivider labelWidth={136}>
        <Fact label="State">
          <KeyState apiKey={apiKey} />
        </Fact>
        <Fact label="Mode">{apiKey.livemode ? "Live" : "Test: nothing is sent or billed"}</Fact>
        <Fact label="Key ID">
          <Copied value={apiKey.id} label="Copy key ID" />
        </Fact>
        <Fact label="Permissions">
          <Scopes permissions={apiKey.permissions} />
        </Fact>
        <Fact label="Requests">{formatCount(apiKey.rate_limit)} per minute</Fact>
        <Fact label="Messages">
          <MessageLimits apiKey={apiKey} />
        </Fact>
        <Fact label="Addresses">
          {apiKey.allowed_ips ? (
            <Text inherit className="mono break-word">
              {apiKey.allowed_ips.join(", ")}
            </Text>
          ) : (
            "Any"
          )}
        </Fact>
        <Fact label="Expires">
          <Time value={apiKey.expires_at} fallback="Never" />
        </Fact>
        <Fact label="Last used">
          <Time value={apiKey.last_used_at} fallback="Never" />
        </Fact>
        <Fact label="Created">
          <Time value={apiKey.created_at} />
          {apiKey.created_by && (
            <>
              {" by "}
              <KeyLink id={apiKey.created_by} of={keys} />
            </>
          )}
        </Fact>
        {made.length > 0 && (
          <Fact label="Keys it created">
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

function MessageLimits({ apiKey: { daily_limit: daily, monthly_limit: monthly } }: { apiKey: ApiKey }) {
  const limits = [
    daily !== null && `${formatCount(daily)} per day`,
    monthly !== null && `${formatCount(monthly)} per month`,
  ].filter((limit) => limit !== false);
  return limits.length > 0 ? limits.join(", ") : "No limit";
}

/** Another key by its name; one that is no longer listed, by its id. */
function KeyLink({ id, of }: { id: string; of: readonly ApiKey[] }) {
  const name = of.find((key) => key.id === id)?.name;
  if (name === undefined) return <span className="mono break-word">{id}</span>;
  return (
    <Anchor component={Link} href={`/api-keys/${id}`} inherit underline="always" className="break-word" dir="auto">
      {name}
    </Anchor>
  );
}
