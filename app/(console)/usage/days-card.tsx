"use client";

import { Box, Button, Card, Group, Text, Title } from "@mantine/core";
import { useState } from "react";
import { usageTexts as texts } from "@/app/_texts/usage";
import { trpc } from "@/app/_trpc/client";
import { IconDownload } from "@/app/_ui/icons/icons";
import { type Column, PagedTable } from "@/app/_ui/lists/paged-table";
import { QueryState } from "@/app/_ui/lists/query-state";
import { formatCount } from "@/app/_ui/values/count";
import { formatDay } from "@/app/_ui/values/days";
import { fractionDigits, Money } from "@/app/_ui/values/money";
import type { UsageSeries } from "@/server/accounts/schema";
import { StatusByDay } from "../_usage/status-by-day";
import { DAYS_MAX, daysSince, within } from "./range";

type Day = UsageSeries[number];

const DAYS_PER_PAGE = 31;

const CSV_COLUMNS = ["day", "messages", "segments", "pending", "sent", "delivered", "failed", "undelivered"] as const;

async function download(days: UsageSeries, currency: string) {
  const { downloadText, toCsv } = await import("@/app/_ui/values/csv");
  const rows = days.map((day) => [...CSV_COLUMNS.map((column) => day[column]), day.cost, currency]);
  const name = `usage-${days[0]?.day ?? ""}-to-${days.at(-1)?.day ?? ""}.csv`;
  downloadText(name, toCsv([[...CSV_COLUMNS, "cost", "currency"], ...rows]));
}

const count = (value: number) => <span className="tabular">{formatCount(value)}</span>;

function columnsIn(currency: string, digits: number): Column<Day>[] {
  return [
    { key: "day", header: texts.byDay.day, render: (row) => <span className="nowrap">{formatDay(row.day)}</span> },
    { key: "messages", header: texts.messages, align: "right", render: (row) => count(row.messages) },
    {
      key: "segments",
      header: texts.byDay.segments,
      align: "right",
      visibleFrom: "sm",
      render: (row) => count(row.segments),
    },
    {
      key: "delivered",
      header: texts.delivered,
      align: "right",
      visibleFrom: "xs",
      render: (row) => count(row.delivered),
    },
    {
      key: "failed",
      header: texts.byDay.failed,
      align: "right",
      visibleFrom: "md",
      render: (row) => count(row.failed + row.undelivered),
    },
    {
      key: "open",
      header: texts.byDay.inProgress,
      align: "right",
      visibleFrom: "md",
      render: (row) => count(row.pending + row.sent),
    },
    {
      key: "cost",
      header: texts.cost,
      align: "right",
      render: (row) => <Money amount={row.cost} currency={currency} digits={digits} />,
    },
  ];
}

/** The days of a period, both ends included, as a chart, a table and a CSV file. `last` null: to today. */
export function DaysCard({ first, last, currency }: { first: string; last: string | null; currency: string }) {
  const days = daysSince(first);
  const series = trpc.accounts.usageSeries.useQuery({ days });
  const shown = series.data && within(series.data, first, last);
  return (
    <Card component="section" aria-labelledby="by-day" padding={0}>
      <Group justify="space-between" p="lg" pb="md">
        <div>
          <Title order={2} size="h4" id="by-day">
            {texts.byDay.title}
          </Title>
          {days === DAYS_MAX && (
            <Text size="sm" c="dimmed">
              {texts.byDay.lastDays(DAYS_MAX)}
            </Text>
          )}
        </div>
        <Button
          variant="default"
          size="sm"
          leftSection={<IconDownload size={16} aria-hidden />}
          disabled={!shown}
          onClick={() => shown && void download(shown, currency)}
        >
          {texts.byDay.downloadCsv}
        </Button>
      </Group>
      <QueryState query={series} loading={<Box h={260} />}>
        {(data) => <DaysBody key={`${first} ${last}`} days={within(data, first, last)} currency={currency} />}
      </QueryState>
    </Card>
  );
}

function DaysBody({ days, currency }: { days: UsageSeries; currency: string }) {
  const [page, setPage] = useState(1);
  const newestFirst = days.toReversed();
  const start = (page - 1) * DAYS_PER_PAGE;
  const pages = Math.ceil(days.length / DAYS_PER_PAGE);
  return (
    <>
      {days.length > 1 && (
        <Box px="md" pb="md">
          <StatusByDay days={days} />
        </Box>
      )}
      <PagedTable
        label={texts.byDay.table}
        columns={columnsIn(currency, fractionDigits(days.map((day) => day.cost)))}
        rows={newestFirst.slice(start, start + DAYS_PER_PAGE)}
        rowKey={(row) => row.day}
        pagination={pages > 1 ? { page, limit: DAYS_PER_PAGE, total: days.length, pages } : null}
        onPage={setPage}
        empty={null}
      />
    </>
  );
}
