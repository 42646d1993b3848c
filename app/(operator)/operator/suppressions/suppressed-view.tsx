"use client";

import { Box, Card, Text } from "@mantine/core";
import { keepPreviousData } from "@tanstack/react-query";
import { allSuppressionsTexts as texts } from "@/app/_texts/operator/suppressions";
import { trpc } from "@/app/_trpc/client";
import { PageHeader } from "@/app/_ui/frame/page-header";
import { IconBan } from "@/app/_ui/icons/icons";
import { EmptyState } from "@/app/_ui/lists/empty-state";
import { type Column, PagedTable } from "@/app/_ui/lists/paged-table";
import { QueryState } from "@/app/_ui/lists/query-state";
import { TextFilter } from "@/app/_ui/lists/text-filter";
import { useUrlState } from "@/app/_ui/lists/use-url-state";
import { Time } from "@/app/_ui/values/time";
import type { OperatedSuppression } from "@/server/operator/schema";
import { AccountLink } from "../account-link";

const PER_PAGE = 25;
const SEARCH_MAX = 40;

const columns = (): ReadonlyArray<Column<OperatedSuppression>> => [
  {
    key: "number",
    header: texts.number,
    render: (suppression) => (
      <>
        <Text size="sm" fw={600} className="tabular nowrap">
          {suppression.number}
        </Text>
        <Box hiddenFrom="sm" fz="xs" dir="auto">
          <AccountLink {...suppression} />
        </Box>
      </>
    ),
  },
  {
    key: "account",
    header: texts.account,
    visibleFrom: "sm",
    render: ({ account_name, account_id }) => (
      <>
        <Text size="sm" dir="auto">
          <AccountLink account_id={account_id} account_name={account_name} />
        </Text>
        <Text size="xs" c="dimmed" className="mono break-word" visibleFrom="lg">
          {account_id}
        </Text>
      </>
    ),
  },
  { key: "sender", header: texts.sender, visibleFrom: "xs", render: ({ sender_id }) => sender_id ?? texts.allSenders },
  {
    key: "reason",
    header: texts.reason,
    render: ({ reason, note }) => (
      <>
        <Text size="sm">{texts.reasons[reason] ?? reason}</Text>
        {note && (
          <Text size="xs" c="dimmed" lineClamp={2} maw={280} className="break-word">
            {note}
          </Text>
        )}
      </>
    ),
  },
  { key: "since", header: texts.since, visibleFrom: "md", render: ({ created_at }) => <Time value={created_at} /> },
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
      <PageHeader title={texts.title} description={texts.description} />
      <Card padding={0}>
        <div className="card-bar">
          <TextFilter
            aria-label={texts.searchByNumber}
            placeholder={texts.firstDigits}
            maw={380}
            maxLength={SEARCH_MAX}
            value={number}
            onChange={(text) => change({ number: text }, "replace")}
          />
        </div>
        <QueryState query={list}>
          {({ items, pagination }) => (
            <PagedTable
              label={texts.list}
              columns={columns()}
              rows={items}
              rowKey={({ id }) => id}
              pagination={pagination}
              onPage={setPage}
              busy={list.isPlaceholderData}
              empty={
                <EmptyState icon={IconBan} title={number ? texts.noMatchingNumber : texts.noSuppressedNumbers}>
                  {number ? texts.nothingStartsWith(number) : undefined}
                </EmptyState>
              }
            />
          )}
        </QueryState>
      </Card>
    </>
  );
}
