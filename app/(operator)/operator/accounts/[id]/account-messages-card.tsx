"use client";

import { Card, Text, Title } from "@mantine/core";
import { keepPreviousData } from "@tanstack/react-query";
import { accountTexts } from "@/app/_texts/operator/account";
import { sharedTexts } from "@/app/_texts/shared";
import { trpc } from "@/app/_trpc/client";
import { type Column, PagedTable } from "@/app/_ui/lists/paged-table";
import { QueryState } from "@/app/_ui/lists/query-state";
import { useUrlState } from "@/app/_ui/lists/use-url-state";
import { MessageStatusBadge } from "@/app/_ui/values/message-status-badge";
import { Money } from "@/app/_ui/values/money";
import { providerName } from "@/app/_ui/values/provider-name";
import { Time } from "@/app/_ui/values/time";
import type { OperatedMessage } from "@/server/operator/account-schema";

const PER_PAGE = 10;

const columns = (texts: typeof accountTexts.messages): ReadonlyArray<Column<OperatedMessage>> => [
  {
    key: "to",
    header: texts.to,
    render: ({ id, to, error, created_at: at }) => (
      <>
        <span className="tabular nowrap">{to}</span>
        <div className="small dimmed mono break-word">{id}</div>
        <div className="small dimmed mantine-hidden-from-sm">
          <Time value={at} />
        </div>
        {error && <div className="small dimmed break-word mantine-hidden-from-lg">{error.message}</div>}
      </>
    ),
  },
  { key: "from", header: texts.from, visibleFrom: "sm", render: ({ from }) => <span className="nowrap">{from}</span> },
  { key: "provider", header: texts.provider, visibleFrom: "md", render: ({ provider }) => providerName(provider) },
  {
    key: "status",
    header: sharedTexts.status,
    render: (message) => <MessageStatusBadge message={message} />,
  },
  {
    key: "error",
    header: texts.error,
    visibleFrom: "lg",
    isWide: true,
    render: ({ error }) => <span className="dimmed">{error?.message}</span>,
  },
  {
    key: "cost",
    header: texts.cost,
    align: "right",
    visibleFrom: "sm",
    render: ({ cost, currency }) => <Money amount={cost} currency={currency} />,
  },
  {
    key: "created",
    header: sharedTexts.created,
    align: "right",
    visibleFrom: "sm",
    render: ({ created_at: at }) => <Time value={at} />,
  },
];

/** The messages of an account, without their texts. */
export function AccountMessagesCard({ accountId }: { accountId: string }) {
  const texts = accountTexts.messages;
  const { page, setPage } = useUrlState();
  const messages = trpc.operator.messages.useQuery(
    { account_id: accountId, page, limit: PER_PAGE },
    { placeholderData: keepPreviousData },
  );
  return (
    <Card component="section" aria-labelledby="account-messages" padding={0}>
      <Title order={2} size="h4" px="lg" pt="lg" id="account-messages">
        {texts.title}
      </Title>
      <Text size="sm" c="dimmed" px="lg" pb="md">
        {texts.withoutTexts}
      </Text>
      <QueryState query={messages}>
        {({ items, pagination }) => (
          <PagedTable
            label={texts.list}
            columns={columns(texts)}
            rows={items}
            rowKey={({ id }) => id}
            pagination={pagination}
            onPage={setPage}
            busy={messages.isPlaceholderData}
            empty={
              <Text size="sm" c="dimmed" px="lg" pb="lg">
                {texts.none}
              </Text>
            }
          />
        )}
      </QueryState>
    </Card>
  );
}
