"use client";

import { Card, Text } from "@mantine/core";
import { keepPreviousData } from "@tanstack/react-query";
import type { inferRouterOutputs } from "@trpc/server";
import { useRouter } from "next/navigation";
import { IfMayChange } from "@/app/_shell/may-change";
import { messagesTexts as texts } from "@/app/_texts/messages/list";
import { sharedTexts } from "@/app/_texts/shared";
import { trpc } from "@/app/_trpc/client";
import { LIVE_REFRESH_MS, useLive } from "@/app/_trpc/use-live";
import { LinkButton } from "@/app/_ui/frame/link-button";
import { PageHeader } from "@/app/_ui/frame/page-header";
import { IconMessages, IconSend } from "@/app/_ui/icons/icons";
import { createdBounds, isReversed } from "@/app/_ui/lists/created-range";
import { EmptyState } from "@/app/_ui/lists/empty-state";
import { ExportButton } from "@/app/_ui/lists/export-button";
import { NoMatch } from "@/app/_ui/lists/no-match";
import { type Column, PagedTable } from "@/app/_ui/lists/paged-table";
import { QueryState } from "@/app/_ui/lists/query-state";
import { RowLink } from "@/app/_ui/lists/row-link";
import { UnusableFilters } from "@/app/_ui/lists/unusable-filters";
import { useUrlState } from "@/app/_ui/lists/use-url-state";
import { formatCount } from "@/app/_ui/values/count";
import { isCanceled, isScheduled, MessageStatusBadge } from "@/app/_ui/values/message-status-badge";
import { Money } from "@/app/_ui/values/money";
import { Time } from "@/app/_ui/values/time";
import type { AppRouter } from "@/server/api/router";
import type { Message } from "@/server/messages/schema";
import { isFinal } from "@/server/messages/status";
import {
  byParam,
  filteredBy,
  isFiltered,
  isSearch,
  MessageFilters,
  type MessageFilterValues,
  messageFiltersOf,
  NO_FILTERS,
} from "./message-filters";

const PAGE_SIZE = 25;
const MOVING_REFRESH_MS = 3_000;
const IDLE_REFRESH_MS = 10_000;

const columns = (): ReadonlyArray<Column<Message>> => [
  {
    key: "to",
    header: texts.columns.to,
    render: (message) => (
      <>
        <RowLink href={`/messages/${message.id}`}>{message.to}</RowLink>
        <div className="dimmed two-lines mantine-hidden-from-md" dir="auto">
          {message.body || texts.textDeleted}
        </div>
        <div className="small dimmed mantine-hidden-from-sm">
          <Time value={message.created_at} />
        </div>
        <WhyNot message={message} className="mantine-hidden-from-md" />
      </>
    ),
  },
  {
    key: "from",
    header: texts.columns.from,
    visibleFrom: "sm",
    render: (message) => <span className="nowrap">{message.from}</span>,
  },
  {
    key: "text",
    header: texts.columns.text,
    visibleFrom: "md",
    isWide: true,
    render: (message) => (
      <>
        <span className="dimmed" dir="auto">
          {message.body || texts.textDeleted}
        </span>
        <WhyNot message={message} className="clip" />
      </>
    ),
  },
  {
    key: "status",
    header: sharedTexts.status,
    render: (message) => <MessageStatusBadge message={message} />,
  },
  {
    key: "cost",
    header: texts.columns.cost,
    align: "right",
    visibleFrom: "sm",
    render: (message) => <Money amount={message.cost} currency={message.currency} />,
  },
  {
    key: "created",
    header: sharedTexts.created,
    align: "right",
    visibleFrom: "sm",
    render: (message) => <Time value={message.created_at} />,
  },
];

/** The reason why a message was not delivered, so that nobody has to open each one that failed. */
const WhyNot = ({ message, className }: { message: Message; className: string }) =>
  message.error && (
    <div className={`small ${isCanceled(message) ? "dimmed" : "problem"} ${className}`}>{message.error.message}</div>
  );

type FoundMessages = inferRouterOutputs<AppRouter>["messages"]["search"];

/** The page that the filters ask for. */
function useMessages(filters: MessageFilterValues, page: number) {
  const utils = trpc.useUtils();
  const isLive = useLive(["messages"], () => {
    void utils.messages.list.invalidate();
    void utils.messages.search.invalidate();
  });
  const isSearched = isSearch(filters);
  const place = { page, limit: PAGE_SIZE };
  const options = { placeholderData: keepPreviousData, refetchInterval: isLive ? LIVE_REFRESH_MS : refreshAfterMs };
  const { status, days } = filters;
  const listed = trpc.messages.list.useQuery(
    { status, ...createdBounds(days), ...place },
    { ...options, enabled: !isSearched },
  );
  const found = trpc.messages.search.useQuery(
    { ...filteredBy(filters), ...place },
    { ...options, enabled: isSearched },
  );
  return isSearched ? found : listed;
}

/** Short while a message on the page is not final; longer when only messages from elsewhere may appear. */
const refreshAfterMs = ({ state }: { state: { data?: { items: Message[] } } }) =>
  state.data?.items.some((message) => !isFinal(message.status) && !isScheduled(message))
    ? MOVING_REFRESH_MS
    : IDLE_REFRESH_MS;

/** All messages of the account, newest first. Refreshes itself while it is open. */
export function MessagesView() {
  const router = useRouter();
  const { params, page, change, setPage } = useUrlState();
  const filters = messageFiltersOf(params);
  const messages = useMessages(filters, page);

  return (
    <>
      <PageHeader
        title={texts.title}
        description={texts.description}
        actions={
          <>
            <ExportButton list={{ list: "messages", ...filteredBy(filters) }} />
            <IfMayChange>
              <LinkButton href="/send" leftSection={<IconSend size={16} />}>
                {texts.newMessage}
              </LinkButton>
            </IfMayChange>
          </>
        }
      />
      <MessageFilters values={filters} change={change} />
      <UnusableFilters params={params} understood={byParam(filters)} change={change} />
      <QueryState<FoundMessages | Omit<FoundMessages, "searched">> query={messages}>
        {({ items, pagination, ...more }) => (
          <Card padding={0}>
            {"searched" in more && more.searched !== null && <SearchedNote searched={more.searched} />}
            <PagedTable
              label={texts.title}
              columns={columns()}
              rows={items}
              rowKey={(message) => message.id}
              pagination={pagination}
              onPage={setPage}
              onRowClick={(message) => router.push(`/messages/${message.id}`)}
              busy={messages.isPlaceholderData}
              empty={
                isFiltered(filters) ? (
                  <NothingFound filters={filters} onClear={() => change(NO_FILTERS)} />
                ) : (
                  <NoMessages />
                )
              }
            />
          </Card>
        )}
      </QueryState>
    </>
  );
}

function SearchedNote({ searched }: { searched: number }) {
  return (
    <Text size="sm" c="dimmed" px="lg" py="sm" className="card-bar">
      {texts.searched(formatCount(searched))}
    </Text>
  );
}

function NoMessages() {
  return (
    <EmptyState
      icon={IconMessages}
      title={texts.noneYet.title}
      action={
        <IfMayChange>
          <LinkButton href="/send" variant="light">
            {texts.noneYet.sendFirst}
          </LinkButton>
        </IfMayChange>
      }
    >
      {texts.noneYet.explanation}
    </EmptyState>
  );
}

function whyNone({ days, to, reference }: MessageFilterValues): string {
  if (isReversed(days)) return texts.noneFound.reversedDays;
  if (to) return texts.noneFound.byNumber;
  return reference && texts.noneFound.byReference;
}

function NothingFound({ filters, onClear }: { filters: MessageFilterValues; onClear: () => void }) {
  return (
    <NoMatch title={texts.noneFound.title} showAll={texts.noneFound.showAll} onClear={onClear}>
      {whyNone(filters)}
    </NoMatch>
  );
}
