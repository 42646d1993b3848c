"use client";

import { SimpleGrid, Skeleton, Stack } from "@mantine/core";
import { Suspense } from "react";
import { providerTexts as texts } from "@/app/_texts/operator/provider";
import { trpc } from "@/app/_trpc/client";
import { lazily } from "@/app/_ui/connection/connection";
import { BackLink } from "@/app/_ui/frame/back-link";
import { QueryState } from "@/app/_ui/lists/query-state";
import type { ProviderId } from "@/server/providers/schema";
import { LastHour } from "./last-hour";
import { ProviderHeader } from "./provider-header";
import { ReceiptsCard } from "./receipts-card";
import { SettingsCard } from "./settings-card";
import { ThroughputCard } from "./throughput-card";

const TestCard = lazily(() => import("./test-card").then((file) => ({ default: file.TestCard })));

const REFRESH_MS = 5_000;

/** One provider: its health, settings, throughput limit, receipts and a test message. */
export function ProviderView({ id }: { id: ProviderId }) {
  const provider = trpc.operator.providers.get.useQuery({ id }, { refetchInterval: REFRESH_MS });
  return (
    <>
      <BackLink href="/operator/providers">{texts.allProviders}</BackLink>
      <QueryState query={provider}>
        {(data) => (
          <div>
            <ProviderHeader provider={data} />
            <Stack gap="lg">
              <LastHour provider={data} />
              <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg">
                <Stack gap="lg">
                  <SettingsCard provider={data} />
                  <ThroughputCard provider={data} />
                </Stack>
                <Stack gap="lg">
                  <ReceiptsCard provider={data} />
                  <Suspense fallback={<Skeleton height={380} radius="lg" />}>
                    <TestCard provider={data} />
                  </Suspense>
                </Stack>
              </SimpleGrid>
            </Stack>
          </div>
        )}
      </QueryState>
    </>
  );
}
