"use client";

import { Card, SegmentedControl, SimpleGrid, Stack, Title } from "@mantine/core";
import { usageTexts as texts } from "@/app/_texts/usage";
import { trpc } from "@/app/_trpc/client";
import { serverNow } from "@/app/_trpc/clock";
import { PageHeader } from "@/app/_ui/frame/page-header";
import { IconChartBar, IconCircleCheck, IconCoins, IconMessages } from "@/app/_ui/icons/icons";
import { type DayRange, dayOf, isReversed } from "@/app/_ui/lists/created-range";
import { DaysFilter } from "@/app/_ui/lists/days-filter";
import { EmptyState } from "@/app/_ui/lists/empty-state";
import { FilterBar } from "@/app/_ui/lists/filter-bar";
import { QueryState } from "@/app/_ui/lists/query-state";
import { UnusableFilters } from "@/app/_ui/lists/unusable-filters";
import { oneOf, useUrlState } from "@/app/_ui/lists/use-url-state";
import { StatCard } from "@/app/_ui/stat-card";
import { formatCount } from "@/app/_ui/values/count";
import { DAY_MS, formatDay } from "@/app/_ui/values/days";
import { formatMoney } from "@/app/_ui/values/money";
import { formatShare } from "@/app/_ui/values/share";
import type { Usage } from "@/server/accounts/schema";
import { StatusShare } from "../_usage/status-share";
import { DaysCard } from "./days-card";
import { DAYS_MAX, daysSince, sumOf, within } from "./range";

type Period = Usage["period"];

const PERIODS: readonly Period[] = ["day", "month", "all"];

const FIRST: Period = "month";

/** The first and last day of the period. `ends_at` is exclusive; a period still open ends today. */
function describeSpan({ period, starts_at, ends_at }: Usage): string {
  const last = new Date(Math.min(Date.parse(ends_at) - 1, serverNow())).toISOString();
  if (period === "day" || Date.parse(last) - Date.parse(starts_at) < DAY_MS) return texts.oneDay(formatDay(starts_at));
  return texts.fromTo(formatDay(starts_at), formatDay(last));
}

const NO_RANGE = { created_from: undefined, created_to: undefined };

export function UsageView() {
  const { params, change } = useUrlState();
  const chosen = oneOf(PERIODS, params.get("period"));
  const period = chosen ?? FIRST;
  const range: DayRange = [dayOf(params.get("created_from")), dayOf(params.get("created_to"))];
  const isRange = range[0] !== null || range[1] !== null;
  return (
    <>
      <PageHeader
        title={texts.title}
        description={texts.description}
        actions={
          <SegmentedControl
            aria-label={texts.period}
            value={isRange ? "" : period}
            onChange={(value) => change({ ...NO_RANGE, period: value === FIRST ? undefined : value })}
            data={PERIODS.map((value) => ({ value, label: texts.periods[value] }))}
          />
        }
      />
      <FilterBar isFiltered={isRange} onClear={() => change(NO_RANGE)}>
        <DaysFilter label={texts.days} days={range} change={change} />
      </FilterBar>
      <UnusableFilters
        params={params}
        understood={{ period: chosen, created_from: range[0], created_to: range[1] }}
        change={change}
      />
      {isRange ? <OfRange range={range} /> : <OfPeriod period={period} />}
    </>
  );
}

function OfPeriod({ period }: { period: Period }) {
  const usage = trpc.accounts.usage.useQuery({ period });
  return (
    <QueryState query={usage}>
      {(data) => <Figures usage={data} span={describeSpan(data)} first={data.starts_at.slice(0, 10)} last={null} />}
    </QueryState>
  );
}

/** The sums of the chosen UTC days; the service returns those of the last year. */
function OfRange({ range: [first, last] }: { range: DayRange }) {
  const series = trpc.accounts.usageSeries.useQuery({ days: first === null ? DAYS_MAX : daysSince(first) });
  const balance = trpc.accounts.balance.useQuery();
  return (
    <QueryState query={balance}>
      {({ currency }) => (
        <QueryState query={series}>
          {(data) => {
            const days = within(data, first, last);
            const noDays = isReversed([first, last]) ? texts.reversedDays : texts.noSuchDays;
            const [begin, end] = [days[0]?.day, days.at(-1)?.day];
            return (
              <Figures
                usage={{ ...sumOf(days), currency }}
                span={begin && end ? texts.fromTo(formatDay(begin), formatDay(end)) : noDays}
                first={begin ?? first ?? ""}
                last={last}
              />
            );
          }}
        </QueryState>
      )}
    </QueryState>
  );
}

function Figures({
  usage,
  span,
  first,
  last,
}: {
  usage: Pick<Usage, "totals" | "by_status" | "currency">;
  span: string;
  /** The first and last UTC day, `YYYY-MM-DD`; null: to today. */
  first: string;
  last: string | null;
}) {
  const { totals, by_status: byStatus, currency } = usage;
  return (
    <Stack gap="lg">
      <SimpleGrid cols={{ base: 1, sm: 3 }} spacing={{ base: "sm", sm: "md" }}>
        <StatCard label={texts.messages} icon={IconMessages} value={formatCount(totals.messages)} hint={span} />
        <StatCard
          label={texts.cost}
          icon={IconCoins}
          value={formatMoney(totals.cost, currency)}
          hint={texts.costHint}
        />
        <StatCard
          label={texts.delivered}
          icon={IconCircleCheck}
          value={formatShare(byStatus.delivered, totals.messages)}
          hint={texts.deliveredOf(formatCount(byStatus.delivered), formatCount(totals.messages))}
        />
      </SimpleGrid>
      {totals.messages === 0 ? (
        <Card>
          <EmptyState icon={IconChartBar} title={texts.noMessages}>
            {texts.noMessagesHint}
          </EmptyState>
        </Card>
      ) : (
        <>
          <Card component="section" aria-labelledby="by-status">
            <Title order={2} size="h4" mb="md" id="by-status">
              {texts.byStatus.title}
            </Title>
            <StatusShare usage={usage} />
          </Card>
          <DaysCard first={first} last={last} currency={currency} />
        </>
      )}
    </Stack>
  );
}
