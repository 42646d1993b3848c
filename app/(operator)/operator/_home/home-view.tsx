"use client";

import { Anchor, SimpleGrid, Skeleton, Stack } from "@mantine/core";
import Link from "next/link";
import { trpc } from "@/app/_trpc/client";
import { PageHeader } from "@/app/_ui/frame/page-header";
import { QueryState } from "@/app/_ui/lists/query-state";
import { StatCard } from "@/app/_ui/stat-card";
import { formatCount } from "@/app/_ui/values/count";
import type { OperatorHome } from "@/server/operator/home-schema";
import type { OperatedProvider } from "@/server/providers/operator-schema";
import { formatShare } from "../providers/provider-words";
import { ProvidersInUse } from "./providers-in-use";
import { QueuesCard } from "./queues-card";
import { TasksCard } from "./tasks-card";
import { WorkersCard } from "./workers-card";

const REFRESH_MS = 5_000;

/** Whether the installation does its work, and what waits for an operator. */
export function HomeView() {
  const live = { refetchInterval: REFRESH_MS };
  const home = trpc.operator.home.useQuery(undefined, live);
  const providers = trpc.operator.providers.list.useQuery(undefined, live);
  return (
    <>
      <PageHeader title="Installation" description="Whether messages flow, and what waits for you." />
      <QueryState query={home} loading={<Skeleton height={420} radius="lg" />}>
        {(data) => (
          <Stack gap="lg">
            <TasksCard home={data} providers={providers.data ?? []} />
            <Figures home={data} providers={providers.data} />
            <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg">
              <WorkersCard workers={data.workers} />
              <QueuesCard queues={data.queues} />
            </SimpleGrid>
            <ProvidersInUse query={providers} />
          </Stack>
        )}
      </QueryState>
    </>
  );
}

function Figures({ home, providers }: { home: OperatorHome; providers: OperatedProvider[] | undefined }) {
  const hours = providers?.map(({ last_hour: hour }) => hour);
  const sum = (pick: (hour: OperatedProvider["last_hour"]) => number) =>
    hours?.reduce((all, hour) => all + pick(hour), 0);
  const calls = sum((hour) => hour.calls);
  const known = sum((hour) => hour.calls - hour.unknown);
  const accepted = sum((hour) => hour.accepted);
  const due = home.queues.reduce((all, queue) => all + queue.due, 0);
  const errorShare = known && accepted !== undefined ? 1 - accepted / known : null;
  return (
    <SimpleGrid cols={{ base: 2, lg: 4 }} spacing={{ base: "sm", sm: "md" }}>
      <StatCard
        label="Provider calls"
        value={calls === undefined ? undefined : formatCount(calls)}
        hint="Last 60 minutes"
      />
      <StatCard
        label="Not accepted"
        value={calls === undefined ? undefined : formatShare(errorShare)}
        hint="Of calls with a known outcome"
      />
      <StatCard label="Jobs due" value={formatCount(due)} hint={`${formatCount(home.throttled)} messages throttled`} />
      <StatCard
        label="Suspended accounts"
        value={formatCount(home.suspended_accounts)}
        hint={
          <Anchor component={Link} href="/operator/accounts" size="xs">
            All accounts
          </Anchor>
        }
      />
    </SimpleGrid>
  );
}
