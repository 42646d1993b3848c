"use client";

import { Box, Button, Card, Group, Text, VisuallyHidden } from "@mantine/core";
import { keepPreviousData } from "@tanstack/react-query";
import { useState } from "react";
import { IfMayChange } from "@/app/_shell/may-change";
import { eventsTexts as texts } from "@/app/_texts/events";
import { sharedTexts } from "@/app/_texts/shared";
import { trpc } from "@/app/_trpc/client";
import { LinkButton } from "@/app/_ui/frame/link-button";
import { PageHeader } from "@/app/_ui/frame/page-header";
import { IconActivity, IconBraces, IconWebhook } from "@/app/_ui/icons/icons";
import { EmptyState } from "@/app/_ui/lists/empty-state";
import { FilterSelect } from "@/app/_ui/lists/filter-select";
import { NoMatch } from "@/app/_ui/lists/no-match";
import { type Column, PagedTable } from "@/app/_ui/lists/paged-table";
import { QueryState } from "@/app/_ui/lists/query-state";
import { RowLink } from "@/app/_ui/lists/row-link";
import { UnusableFilters } from "@/app/_ui/lists/unusable-filters";
import { oneOf, useUrlState } from "@/app/_ui/lists/use-url-state";
import { EVENT_TYPES, EventTypeBadge } from "@/app/_ui/values/event-type-badge";
import { Time } from "@/app/_ui/values/time";
import type { AnyEvent } from "@/server/webhooks/schema";
import { EventDialog } from "./event-dialog";

const PAGE_SIZE = 25;
const REFRESH_MS = 5_000;

const columns = (onOpen: (event: AnyEvent) => void): ReadonlyArray<Column<AnyEvent>> => [
  {
    key: "type",
    header: texts.type,
    render: (event) => (
      <>
        <EventTypeBadge type={event.type} />
        <Box hiddenFrom="sm" mt={4}>
          <MessageLink event={event} />
          <Text size="xs" c="dimmed" component="div">
            <Time value={event.created_at} />
          </Text>
        </Box>
      </>
    ),
  },
  { key: "message", header: texts.columns.number, visibleFrom: "sm", render: (event) => <MessageLink event={event} /> },
  {
    key: "id",
    header: texts.columns.id,
    visibleFrom: "md",
    isWide: true,
    render: (event) => <span className="small dimmed mono">{event.id}</span>,
  },
  {
    key: "created",
    header: sharedTexts.created,
    visibleFrom: "sm",
    render: (event) => <Time value={event.created_at} />,
  },
  {
    key: "payload",
    header: <VisuallyHidden>{texts.columns.payload}</VisuallyHidden>,
    align: "right",
    render: (event) => (
      <Button
        size="compact-sm"
        variant="subtle"
        leftSection={<IconBraces size={14} />}
        aria-label={texts.viewPayload(event.id)}
        onClick={() => onOpen(event)}
      >
        {texts.view}
      </Button>
    ),
  },
];

/** All events of the account, newest first. */
export function EventsView() {
  const { params, page, change, setPage } = useUrlState();
  const type = oneOf(EVENT_TYPES, params.get("type"));
  const [opened, setOpened] = useState<AnyEvent | null>(null);
  const events = trpc.webhooks.events.useQuery(
    { type, page, limit: PAGE_SIZE },
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
      <Group mb="md">
        <FilterSelect
          label={texts.type}
          placeholder={texts.anyStatusChange}
          options={EVENT_TYPES}
          value={type}
          onChange={(value) => change({ type: value })}
          w={{ base: "100%", xs: 220 }}
        />
      </Group>
      <UnusableFilters params={params} understood={{ type }} change={change} />
      <QueryState query={events}>
        {({ items, pagination }) => (
          <Card padding={0}>
            <PagedTable
              label={texts.title}
              columns={columns(setOpened)}
              rows={items}
              rowKey={(event) => event.id}
              pagination={pagination}
              onPage={setPage}
              busy={events.isPlaceholderData}
              empty={type ? <NoneOfType onClear={() => change({ type: undefined })} /> : <NoEvent />}
            />
          </Card>
        )}
      </QueryState>
      {/* Outside the table, because newer events push rows off the page. */}
      <EventDialog event={opened} onClose={() => setOpened(null)} />
    </>
  );
}

function MessageLink({ event }: { event: AnyEvent }) {
  return (
    <RowLink href={event.type === "message.received" ? `/inbound/${event.data.id}` : `/messages/${event.data.id}`}>
      {event.type === "message.received" ? event.data.from : event.data.to}
    </RowLink>
  );
}

function NoEvent() {
  return (
    <EmptyState
      icon={IconActivity}
      title={texts.noEventsYet}
      action={
        <IfMayChange>
          <LinkButton href="/send" variant="light">
            {texts.sendMessage}
          </LinkButton>
        </IfMayChange>
      }
    >
      {texts.whenCreated}
    </EmptyState>
  );
}

function NoneOfType({ onClear }: { onClear: () => void }) {
  return <NoMatch title={texts.noneOfType} showAll={texts.showAll} onClear={onClear} />;
}
