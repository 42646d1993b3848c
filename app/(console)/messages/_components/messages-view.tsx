"use client";

import { Anchor, Box, Button, Card, Text } from "@mantine/core";
import { IconFilterOff, IconMessages, IconSend } from "@tabler/icons-react";
import { keepPreviousData } from "@tanstack/react-query";
import Link from "next/link";
import { useRouter } from "next/navigation";
import { trpc } from "@/app/_trpc/client";
import { EmptyState } from "@/app/_ui/empty-state";
import { LinkButton } from "@/app/_ui/link-button";
import { MessageStatusBadge } from "@/app/_ui/message-status-badge";
import { Money } from "@/app/_ui/money";
import { PageHeader } from "@/app/_ui/page-header";
import { type Column, PagedTable } from "@/app/_ui/paged-table";
import { QueryState } from "@/app/_ui/query-state";
import { Time } from "@/app/_ui/time";
import { oneOf, useUrlState } from "@/app/_ui/use-url-state";
import { isE164 } from "@/server/messages/phone";
import type { Message } from "@/server/messages/schema";
import { isFinal, MESSAGE_STATUSES } from "@/server/messages/status";
import { createdBounds, dayOf } from "./created-range";
import { isFiltered, MessageFilters, type MessageFilterValues, NO_FILTERS } from "./message-filters";

const PAGE_SIZE = 25;
const REFRESH_MS = 3_000;

const columns: ReadonlyArray<Column<Message>> = [
  {
    key: "to",
    header: "To",
    render: (message) => (
      <>
        <Anchor component={Link} href={`/messages/${message.id}`} fw={500} className="tabular nowrap" size="sm">
          {message.to}
        </Anchor>
        <Text size="xs" c="dimmed" component="div" hiddenFrom="sm">
          <Time value={message.created_at} />
        </Text>
      </>
    ),
  },
  { key: "from", header: "From", visibleFrom: "sm", render: (message) => message.from },
  {
    key: "text",
    header: "Text",
    visibleFrom: "md",
    render: (message) => (
      <Text size="sm" c="dimmed" maw={320} truncate>
        {message.body}
      </Text>
    ),
  },
  {
    key: "status",
    header: "Status",
    render: (message) => (
      <Box display="flex" miw="max-content">
        <MessageStatusBadge status={message.status} />
      </Box>
    ),
  },
  {
    key: "cost",
    header: "Cost",
    align: "right",
    visibleFrom: "sm",
    render: (message) => <Money amount={message.cost} currency={message.currency} />,
  },
  {
    key: "created",
    header: "Created",
    align: "right",
    visibleFrom: "sm",
    render: (message) => <Time value={message.created_at} />,
  },
];

/** All messages of the account, newest first. Refreshes itself while a message on the page is not final. */
export function MessagesView() {
  const router = useRouter();
  const { params, page, change, setPage } = useUrlState();
  const filters: MessageFilterValues = {
    status: oneOf(MESSAGE_STATUSES, params.get("status")),
    to: phoneNumberOf(params.get("to")),
    days: [dayOf(params.get("created_from")), dayOf(params.get("created_to"))],
  };
  const messages = trpc.messages.list.useQuery(
    { status: filters.status, to: filters.to || undefined, ...createdBounds(filters.days), page, limit: PAGE_SIZE },
    {
      placeholderData: keepPreviousData,
      refetchInterval: (query) =>
        query.state.data?.items.some((message) => !isFinal(message.status)) ? REFRESH_MS : false,
    },
  );

  return (
    <>
      <PageHeader
        title="Messages"
        description="All messages of your account with their current status."
        actions={
          <LinkButton href="/send" leftSection={<IconSend size={16} />}>
            New message
          </LinkButton>
        }
      />
      <MessageFilters values={filters} change={change} />
      <QueryState query={messages}>
        {({ items, pagination }) => (
          <Card padding={0}>
            <PagedTable
              label="Messages"
              columns={columns}
              rows={items}
              rowKey={(message) => message.id}
              pagination={pagination}
              onPage={setPage}
              onRowClick={(message) => router.push(`/messages/${message.id}`)}
              busy={messages.isPlaceholderData}
              empty={isFiltered(filters) ? <NothingFound onClear={() => change(NO_FILTERS)} /> : <NoMessages />}
            />
          </Card>
        )}
      </QueryState>
    </>
  );
}

/** The number from the URL; empty, which filters nothing, if it is not in E.164 form. */
const phoneNumberOf = (text: string | null): string => (text && isE164(text) ? text : "");

function NoMessages() {
  return (
    <EmptyState
      icon={IconMessages}
      title="No messages yet"
      action={
        <LinkButton href="/send" variant="light">
          Send your first message
        </LinkButton>
      }
    >
      Messages you send from the console or the API appear here.
    </EmptyState>
  );
}

function NothingFound({ onClear }: { onClear: () => void }) {
  return (
    <EmptyState
      icon={IconFilterOff}
      title="No messages match these filters"
      action={
        <Button variant="light" onClick={onClear}>
          Show all messages
        </Button>
      }
    >
      The recipient filter needs the complete number, with + and country code.
    </EmptyState>
  );
}
