"use client";

import { Anchor, SimpleGrid, Skeleton, Stack } from "@mantine/core";
import { operatorHomeTexts as texts } from "@/app/_texts/operator/home";
import { trpc } from "@/app/_trpc/client";
import { PageHeader } from "@/app/_ui/frame/page-header";
import { PageLink } from "@/app/_ui/frame/page-link";
import { QueryState } from "@/app/_ui/lists/query-state";
import { StatCard } from "@/app/_ui/stat-card";
import { formatCount } from "@/app/_ui/values/count";
import type { OperatorHome } from "@/server/operator/home-schema";
import type { OperatedProvider } from "@/server/providers/operator-schema";
import { formatNotAccepted } from "../providers/provider-words";
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
      <PageHeader title={texts.title} description={texts.description} />
      <QueryState query={home} loading={<Skeleton height={420} radius="lg" />}>
        {(data) => (
          <Stack gap="lg">
            <TasksCard home={data} providers={providers} />
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
  const calls = hours?.reduce((all, hour) => all + hour.calls, 0);
  const due = home.queues.reduce((all, queue) => all + queue.due, 0);
  return (
    <SimpleGrid cols={{ base: 2, lg: 4 }} spacing={{ base: "sm", sm: "md" }}>
      <StatCard
        label={texts.figures.calls}
        value={calls === undefined ? undefined : formatCount(calls)}
        hint={texts.figures.lastHour}
      />
      <StatCard
        label={texts.figures.notAccepted}
        value={hours && formatNotAccepted(hours)}
        hint={texts.figures.ofKnownOutcome}
      />
      <StatCard
        label={texts.figures.jobsDue}
        value={formatCount(due)}
        hint={texts.figures.throttled(home.throttled, formatCount(home.throttled))}
      />
      <StatCard
        label={texts.figures.suspendedAccounts}
        value={formatCount(home.suspended_accounts)}
        hint={
          <Anchor component={PageLink} href="/operator/accounts" size="xs">
            {texts.figures.allAccounts}
          </Anchor>
        }
      />
    </SimpleGrid>
  );
}
