"use client";

import { Box, Card, Text } from "@mantine/core";
import { keepPreviousData } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { inboundTexts as texts } from "@/app/_texts/inbound";
import { trpc } from "@/app/_trpc/client";
import { LinkButton } from "@/app/_ui/frame/link-button";
import { PageHeader } from "@/app/_ui/frame/page-header";
import { IconInbox, IconWebhook } from "@/app/_ui/icons/icons";
import { createdBounds, dayOf } from "@/app/_ui/lists/created-range";
import { EmptyState } from "@/app/_ui/lists/empty-state";
import { NoMatch } from "@/app/_ui/lists/no-match";
import { type Column, PagedTable } from "@/app/_ui/lists/paged-table";
import { QueryState } from "@/app/_ui/lists/query-state";
import { RowLink } from "@/app/_ui/lists/row-link";
import { UnusableFilters } from "@/app/_ui/lists/unusable-filters";
import { useUrlState } from "@/app/_ui/lists/use-url-state";
import { Time } from "@/app/_ui/values/time";
import type { InboundMessage } from "@/server/inbound/schema";
import { isE164 } from "@/server/messages/phone";
import { ActionBadge } from "./action-badge";
import { InboundFilters, type InboundFilterValues, isFiltered, NO_FILTERS } from "./inbound-filters";

const PAGE_SIZE = 25;
const REFRESH_MS = 5_000;
/** Longer than any sender ID. */
const SENDER_MAX = 16;

const columns = (): ReadonlyArray<Column<InboundMessage>> => [
  {
    key: "from",
    header: texts.from,
    render: (message) => (
      <>
        <RowLink href={`/inbound/${message.id}`}>{message.from}</RowLink>
        <Box hiddenFrom="sm">
          <Text size="sm" lineClamp={2} style={{ overflowWrap: "anywhere" }} dir="auto">
            {message.body}
          </Text>
          <Text size="xs" c="dimmed" component="div">
            <Time value={message.created_at} />
          </Text>
        </Box>
      </>
    ),
  },
  {
    key: "to",
    header: texts.to,
    visibleFrom: "md",
    render: (message) => <span className="tabular nowrap">{message.to}</span>,
  },
  {
    key: "text",
    header: texts.text,
    visibleFrom: "sm",
    isWide: true,
    render: (message) => <span dir="auto">{message.body}</span>,
  },
  { key: "action", header: texts.effect, render: (message) => <ActionBadge action={message.action} /> },
  {
    key: "created",
    header: texts.received,
    align: "right",
    visibleFrom: "sm",
    render: (message) => <Time value={message.created_at} />,
  },
];

/** The messages that people sent to the account's numbers, newest first. Refreshes itself while it is open. */
export function InboundView() {
  const router = useRouter();
  const { params, page, change, setPage } = useUrlState();
  const filters = filtersOf(params);
  const messages = trpc.inbound.list.useQuery(
    {
      from: filters.from || undefined,
      to: filters.to || undefined,
      ...createdBounds(filters.days),
      page,
      limit: PAGE_SIZE,
    },
    // Only the first page gets new rows.
    { placeholderData: keepPreviousData, refetchInterval: page === 1 ? REFRESH_MS : false },
  );
  return (
    <>
      <PageHeader
        title={texts.title}
        description={texts.description}
        actions={
          <LinkButton href="/webhooks" variant="default" leftSection={<IconWebhook size={16} />}>
            {texts.webhooks}
          </LinkButton>
        }
      />
      <InboundFilters values={filters} change={change} />
      <UnusableFilters
        params={params}
        understood={{ from: filters.from, to: filters.to, created_from: filters.days[0], created_to: filters.days[1] }}
        change={change}
      />
      <QueryState query={messages}>
        {({ items, pagination }) => (
          <Card padding={0}>
            <PagedTable
              label={texts.table}
              columns={columns()}
              rows={items}
              rowKey={(message) => message.id}
              pagination={pagination}
              onPage={setPage}
              onRowClick={(message) => router.push(`/inbound/${message.id}`)}
              busy={messages.isPlaceholderData}
              empty={isFiltered(filters) ? <NothingFound onClear={() => change(NO_FILTERS)} /> : <NothingReceived />}
            />
          </Card>
        )}
      </QueryState>
    </>
  );
}

function filtersOf(params: URLSearchParams): InboundFilterValues {
  const [from, to] = [params.get("from") ?? "", params.get("to") ?? ""];
  return {
    from: isE164(from) ? from : "",
    to: to.length <= SENDER_MAX ? to : "",
    days: [dayOf(params.get("created_from")), dayOf(params.get("created_to"))],
  };
}

function NothingReceived() {
  return (
    <EmptyState
      icon={IconInbox}
      title={texts.none.title}
      action={
        <LinkButton href="/docs/receiving" variant="light">
          {texts.none.howTo}
        </LinkButton>
      }
    >
      {texts.none.text}
    </EmptyState>
  );
}

function NothingFound({ onClear }: { onClear: () => void }) {
  return <NoMatch title={texts.noMatch.title} showAll={texts.noMatch.showAll} onClear={onClear} />;
}
