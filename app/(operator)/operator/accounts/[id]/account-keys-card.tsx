import { Card, Text, Title } from "@mantine/core";
import { accountTexts } from "@/app/_texts/operator/account";
import { LongTable } from "@/app/_ui/lists/long-table";
import type { Column } from "@/app/_ui/lists/paged-table";
import { formatCount } from "@/app/_ui/values/count";
import { KeyState, Scopes } from "@/app/_ui/values/key-cells";
import { Time } from "@/app/_ui/values/time";
import type { ApiKeyDetail } from "@/server/api-keys/schema";

const columns = (texts: typeof accountTexts.keys): ReadonlyArray<Column<ApiKeyDetail>> => [
  {
    key: "key",
    header: texts.key,
    render: ({ name, key_hint: hint }) => (
      <>
        <Text size="sm" fw={500} className="break-word" dir="auto">
          {name}
        </Text>
        <span className="small dimmed mono">{hint}</span>
      </>
    ),
  },
  {
    key: "permissions",
    header: texts.permissions,
    visibleFrom: "md",
    render: ({ permissions }) => <Scopes permissions={permissions} />,
  },
  {
    key: "limit",
    header: texts.requestsPerMinute,
    align: "right",
    visibleFrom: "sm",
    render: ({ rate_limit: limit }) => <span className="tabular">{formatCount(limit)}</span>,
  },
  {
    key: "used",
    header: texts.lastUsed,
    visibleFrom: "xs",
    render: ({ last_used_at: at }) => <Time value={at} fallback={texts.never} />,
  },
  { key: "state", header: texts.state, render: (apiKey) => <KeyState apiKey={apiKey} /> },
];

/** The keys of an account: those in use, and those that ended in the last 90 days. */
export function AccountKeysCard({ keys }: { keys: readonly ApiKeyDetail[] }) {
  const texts = accountTexts.keys;
  return (
    <Card component="section" aria-labelledby="account-keys" padding={0}>
      <Title order={2} size="h4" p="lg" pb="md" id="account-keys">
        {texts.title}
      </Title>
      <LongTable
        label={texts.title}
        columns={columns(texts)}
        rows={keys}
        rowKey={({ id }) => id}
        textOf={({ name, key_hint, id }) => `${name} ${key_hint} ${id}`}
        empty={
          <Text size="sm" c="dimmed" px="lg" pb="lg">
            {texts.none}
          </Text>
        }
      />
    </Card>
  );
}
