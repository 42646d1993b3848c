"use client";

import { Box, Button, Card, Group, Text } from "@mantine/core";
import { keepPreviousData } from "@tanstack/react-query";
import { useState } from "react";
import { useMayChange } from "@/app/_shell/may-change";
import { sendersTexts as texts } from "@/app/_texts/senders";
import { sharedTexts } from "@/app/_texts/shared";
import { trpc } from "@/app/_trpc/client";
import { useCreateDialog } from "@/app/_ui/forms/use-create-dialog";
import { PageHeader } from "@/app/_ui/frame/page-header";
import { IconAddressBook, IconPlus } from "@/app/_ui/icons/icons";
import { EmptyState } from "@/app/_ui/lists/empty-state";
import { FilterSelect } from "@/app/_ui/lists/filter-select";
import { NoMatch } from "@/app/_ui/lists/no-match";
import { type Column, PagedTable } from "@/app/_ui/lists/paged-table";
import { QueryState } from "@/app/_ui/lists/query-state";
import { UnusableFilters } from "@/app/_ui/lists/unusable-filters";
import { oneOf, useUrlState } from "@/app/_ui/lists/use-url-state";
import { countryNameOrCode } from "@/app/_ui/values/country-name";
import { SENDER_STATUS_VIEWS, SENDER_STATUSES, SENDER_TYPE_LABELS } from "@/app/_ui/values/sender-words";
import { StatusBadge } from "@/app/_ui/values/status-badge";
import { Time } from "@/app/_ui/values/time";
import type { Sender } from "@/server/senders/schema";
import { DltDialog } from "./dlt-dialog";
import { RegisterSenderDialog } from "./register-sender-dialog";

const PAGE_SIZE = 25;
const REFRESH_MS = 2_000;
const statusOptions = () =>
  SENDER_STATUSES.map((status) => ({ value: status, label: SENDER_STATUS_VIEWS[status].label }));

type Shown = { sender: Sender; editDlt: (sender: Sender) => void; mayChange: boolean };

/** The country of a sender; in India with its DLT IDs. */
function Country({ sender, editDlt, mayChange }: Shown) {
  return (
    <Group gap="xs">
      {sender.country_code ? countryNameOrCode(sender.country_code) : texts.anyCountry}
      {sender.country_code === "IN" && (mayChange || sender.dlt_entity_id) && (
        <Button
          size="compact-xs"
          variant="default"
          aria-label={texts.dlt.idsOf(sender.sender_id)}
          onClick={() => editDlt(sender)}
        >
          {sender.dlt_entity_id ? texts.dlt.ids : texts.dlt.addIds}
        </Button>
      )}
    </Group>
  );
}

const columnsWith = (editDlt: (sender: Sender) => void, mayChange: boolean): ReadonlyArray<Column<Sender>> => [
  {
    key: "sender_id",
    header: texts.senderId,
    render: (sender) => (
      <>
        <Text size="sm" fw={500} className="nowrap">
          {sender.sender_id}
        </Text>
        {sender.country_code && (
          <Box hiddenFrom="sm" fz="xs" c="dimmed">
            <Country sender={sender} editDlt={editDlt} mayChange={mayChange} />
          </Box>
        )}
      </>
    ),
  },
  { key: "type", header: texts.type, visibleFrom: "sm", render: (sender) => SENDER_TYPE_LABELS[sender.type] },
  {
    key: "country",
    header: texts.country,
    visibleFrom: "sm",
    render: (sender) => <Country sender={sender} editDlt={editDlt} mayChange={mayChange} />,
  },
  {
    key: "status",
    header: sharedTexts.status,
    render: ({ status, status_reason: reason }) => (
      <>
        <StatusBadge tone={SENDER_STATUS_VIEWS[status].tone}>{SENDER_STATUS_VIEWS[status].label}</StatusBadge>
        {reason && (
          <Text size="sm" c="dimmed" mt={4} maw={320} className="break-word" dir="auto">
            {reason}
          </Text>
        )}
      </>
    ),
  },
  {
    key: "approved",
    header: texts.approved,
    visibleFrom: "md",
    align: "right",
    render: (sender) => <Time value={sender.approved_at} />,
  },
  {
    key: "created",
    header: texts.registered,
    align: "right",
    visibleFrom: "xs",
    render: (sender) => <Time value={sender.created_at} />,
  },
];

/** The sender IDs of the account with their approval status. */
export function SendersView() {
  const { params, page, change, setPage } = useUrlState();
  const mayChange = useMayChange();
  const [registering, dialog] = useCreateDialog();
  const [edited, setEdited] = useState<Sender | null>(null);
  const columns = columnsWith(setEdited, mayChange);
  const status = oneOf(SENDER_STATUSES, params.get("status"));
  const senders = trpc.senders.list.useQuery(
    { status, page, limit: PAGE_SIZE },
    {
      placeholderData: keepPreviousData,
      refetchInterval: (query) =>
        query.state.data?.items.some((sender) => sender.status === "pending") ? REFRESH_MS : false,
    },
  );
  const registerButton = mayChange && (
    <Button leftSection={<IconPlus size={16} />} onClick={dialog.open}>
      {texts.register}
    </Button>
  );
  // An empty list has the button in its empty state, and nothing to filter.
  const hasSome = !senders.isPending && (status !== undefined || senders.data?.pagination.total !== 0);
  return (
    <>
      <PageHeader title={texts.title} description={texts.description} actions={hasSome && registerButton} />
      {hasSome && (
        <Group mb="md">
          <FilterSelect
            label={sharedTexts.status}
            placeholder={texts.anyStatus}
            options={statusOptions()}
            value={status}
            onChange={(value) => change({ status: value })}
            w={{ base: "100%", xs: 200 }}
          />
        </Group>
      )}
      <UnusableFilters params={params} understood={{ status }} change={change} />
      <QueryState query={senders}>
        {({ items, pagination }) => (
          <Card padding={0}>
            <PagedTable
              label={texts.title}
              columns={columns}
              rows={items}
              rowKey={(sender) => sender.id}
              pagination={pagination}
              onPage={setPage}
              busy={senders.isPlaceholderData}
              empty={
                status ? (
                  <NoneWithStatus onClear={() => change({ status: undefined })} />
                ) : (
                  <EmptyState icon={IconAddressBook} title={texts.none.title} action={registerButton}>
                    {texts.none.text}
                  </EmptyState>
                )
              }
            />
          </Card>
        )}
      </QueryState>
      <RegisterSenderDialog opened={registering} onClose={dialog.close} />
      <DltDialog sender={edited} onClose={() => setEdited(null)} />
    </>
  );
}

function NoneWithStatus({ onClear }: { onClear: () => void }) {
  return <NoMatch title={texts.noMatch.title} showAll={texts.noMatch.showAll} onClear={onClear} />;
}
