"use client";

import { Card, Text } from "@mantine/core";
import { keepPreviousData } from "@tanstack/react-query";
import { trpc } from "@/app/_trpc/client";
import { PageHeader } from "@/app/_ui/frame/page-header";
import { IconBan } from "@/app/_ui/icons/icons";
import { EmptyState } from "@/app/_ui/lists/empty-state";
import { type Column, PagedTable } from "@/app/_ui/lists/paged-table";
import { QueryState } from "@/app/_ui/lists/query-state";
import { SearchField } from "@/app/_ui/lists/search-field";
import { useUrlState } from "@/app/_ui/lists/use-url-state";
import { Time } from "@/app/_ui/values/time";
import type { OperatedSuppression } from "@/server/operator/schema";

const PER_PAGE = 25;
const SEARCH_MAX = 40;

const REASONS: Record<string, string> = { stop: "Opted out (STOP)", manual: "Added manually" };

const columns: ReadonlyArray<Column<OperatedSuppression>> = [
  {
    key: "number",
    header: "Number",
    render: ({ number, account_name }) => (
      <>
        <Text size="sm" fw={600} className="tabular nowrap">
          {number}
        </Text>
        <Text size="xs" c="dimmed" hiddenFrom="sm" className="break-word">
          {account_name}
        </Text>
      </>
    ),
  },
  {
    key: "account",
    header: "Account",
    visibleFrom: "sm",
    render: ({ account_name, account_id }) => (
      <>
        <Text size="sm" className="break-word" dir="auto">
          {account_name}
        </Text>
        <Text size="xs" c="dimmed" className="mono break-word" visibleFrom="lg">
          {account_id}
        </Text>
      </>
    ),
  },
  { key: "sender", header: "Sender", visibleFrom: "xs", render: ({ sender_id }) => sender_id ?? "All senders" },
  {
    key: "reason",
    header: "Reason",
    render: ({ reason, note }) => (
      <>
        <Text size="sm">{REASONS[reason] ?? reason}</Text>
        {note && (
          <Text size="xs" c="dimmed" lineClamp={2} maw={280} className="break-word">
            {note}
          </Text>
        )}
      </>
    ),
  },
  { key: "since", header: "Since", visibleFrom: "md", render: ({ created_at }) => <Time value={created_at} /> },
];

/** The suppressed numbers of all accounts. */
export function SuppressedView() {
  const { params, page, change, setPage } = useUrlState();
  const number = params.get("number") ?? "";
  const list = trpc.operator.suppressions.useQuery(
    { number: number || undefined, page, limit: PER_PAGE },
    { placeholderData: keepPreviousData },
  );
  return (
    <>
      <PageHeader
        title="All suppressions"
        description="Suppressed numbers of all accounts. Each account manages its own list."
      />
      <Card padding={0}>
        <div className="card-bar">
          <SearchField
            aria-label="Search by number"
            placeholder="First digits, such as +1415"
            maw={380}
            maxLength={SEARCH_MAX}
            initial={number}
            onSearch={(text) => change({ number: text }, "replace")}
          />
        </div>
        <QueryState query={list}>
          {({ items, pagination }) => (
            <PagedTable
              label="Suppressions"
              columns={columns}
              rows={items}
              rowKey={({ id }) => id}
              pagination={pagination}
              onPage={setPage}
              busy={list.isPlaceholderData}
              empty={
                <EmptyState icon={IconBan} title={number ? "No matching number" : "No suppressed numbers"}>
                  {number ? `No account suppresses a number starting with “${number}”.` : undefined}
                </EmptyState>
              }
            />
          )}
        </QueryState>
      </Card>
    </>
  );
}
