"use client";

import { Button, Card, SimpleGrid, Stack, Text } from "@mantine/core";
import { useRouter } from "next/navigation";
import type { ReactNode } from "react";
import { IfMayChange } from "@/app/_shell/may-change";
import { sharedTexts } from "@/app/_texts/shared";
import { endpointTexts as texts } from "@/app/_texts/webhooks/endpoint";
import { trpc } from "@/app/_trpc/client";
import { apiErrorOf } from "@/app/_ui/forms/api-error";
import { BackLink } from "@/app/_ui/frame/back-link";
import { PageHeader } from "@/app/_ui/frame/page-header";
import { usePageTitle } from "@/app/_ui/frame/use-page-title";
import { IconPlayerPause, IconPlugConnected, IconTrash, IconWebhookOff } from "@/app/_ui/icons/icons";
import { NotFoundCard } from "@/app/_ui/lists/not-found-card";
import { QueryState } from "@/app/_ui/lists/query-state";
import { Problem } from "@/app/_ui/problem";
import { formatCount } from "@/app/_ui/values/count";
import { Time } from "@/app/_ui/values/time";
import type { WebhookEndpoint } from "@/server/webhooks/schema";
import { EndpointEvents, EndpointState } from "../../_components/endpoint-state";
import { useEndpointActions } from "../../_components/use-endpoint-actions";
import { DeliveryList } from "./delivery-list";
import { EditEndpointButton } from "./edit-endpoint-button";
import { PausedNotice } from "./paused-notice";
import { RecoverEventsButton } from "./recover-events-button";
import { RotateSecretButton } from "./rotate-secret-button";
import { TestEventButton } from "./test-event-button";

const REFRESH_MS = 5_000;

/** One endpoint: its state, its actions and its deliveries. */
export function EndpointView({ id }: { id: string }) {
  const endpoint = trpc.webhooks.get.useQuery({ id }, { refetchInterval: REFRESH_MS });
  usePageTitle(endpoint.data ? texts.titleOf(new URL(endpoint.data.url).host) : texts.title);
  if (apiErrorOf(endpoint.error).status === 404) return <NoSuchEndpoint />;
  return (
    <>
      <BackLink href="/webhooks">{texts.allEndpoints}</BackLink>
      <QueryState query={endpoint}>
        {(data) => (
          <div>
            <EndpointHeader endpoint={data} />
            <EndpointFacts endpoint={data} />
            <DeliveryList endpointId={id} />
          </div>
        )}
      </QueryState>
    </>
  );
}

function EndpointHeader({ endpoint }: { endpoint: WebhookEndpoint }) {
  const router = useRouter();
  const actions = useEndpointActions(endpoint, () => router.push("/webhooks"));
  return (
    <>
      <PageHeader
        title={texts.title}
        description={
          <>
            <Text span className="mono" style={{ overflowWrap: "anywhere" }}>
              {endpoint.url}
            </Text>
            {endpoint.description && (
              <Text size="sm" mt={4} className="break-word" dir="auto">
                {endpoint.description}
              </Text>
            )}
          </>
        }
        actions={
          <IfMayChange>
            <EditEndpointButton endpoint={endpoint} />
            {endpoint.is_active && (
              <Button
                variant="default"
                leftSection={<IconPlayerPause size={16} />}
                loading={actions.isPausing}
                onClick={actions.pause}
              >
                {texts.pause}
              </Button>
            )}
            <TestEventButton endpointId={endpoint.id} />
            <RotateSecretButton endpointId={endpoint.id} />
            <RecoverEventsButton endpointId={endpoint.id} />
            <Button
              variant="default"
              c="var(--mantine-color-error)"
              leftSection={<IconTrash size={16} />}
              loading={actions.isDeleting}
              onClick={actions.askToDelete}
            >
              {sharedTexts.delete}
            </Button>
          </IfMayChange>
        }
      />
      {endpoint.paused_at && (
        <PausedNotice endpoint={endpoint} isResuming={actions.isResuming} onResume={actions.resume} />
      )}
      {!endpoint.is_active && !endpoint.paused_at && (
        <Problem title={texts.isDisabled} mb="lg">
          <Stack gap="sm" align="flex-start">
            <Text size="sm">{texts.whyDisabled[endpoint.disabled_reason ?? "unknown"]}</Text>
            <IfMayChange>
              <Button
                size="xs"
                leftSection={<IconPlugConnected size={16} />}
                loading={actions.isEnabling}
                onClick={actions.enable}
              >
                {texts.enable}
              </Button>
            </IfMayChange>
          </Stack>
        </Problem>
      )}
    </>
  );
}

function EndpointFacts({ endpoint }: { endpoint: WebhookEndpoint }) {
  return (
    <Card component="section" aria-label={texts.facts.title} mb="lg">
      <SimpleGrid cols={{ base: 2, sm: 3, lg: 6 }} spacing="lg">
        <Fact label={texts.facts.state}>
          <EndpointState endpoint={endpoint} />
        </Fact>
        <Fact label={texts.facts.events}>
          <EndpointEvents endpoint={endpoint} />
        </Fact>
        <Fact label={texts.facts.consecutiveFailures}>{formatCount(endpoint.failure_count)}</Fact>
        <Fact label={texts.facts.lastSuccess}>
          <Time value={endpoint.last_success_at} fallback={texts.facts.never} />
        </Fact>
        <Fact label={texts.facts.lastFailure}>
          <Time value={endpoint.last_failure_at} fallback={texts.facts.never} />
        </Fact>
        <Fact label={labelOfTime(endpoint)}>
          <Time value={endpoint.disabled_at ?? endpoint.created_at} />
        </Fact>
      </SimpleGrid>
    </Card>
  );
}

function labelOfTime(endpoint: WebhookEndpoint): string {
  if (endpoint.paused_at) return texts.facts.paused;
  return endpoint.disabled_at ? texts.facts.disabled : sharedTexts.created;
}

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <Stack gap={4} align="flex-start">
      <Text size="xs" c="dimmed" fw={500}>
        {label}
      </Text>
      <Text size="sm" component="div">
        {children}
      </Text>
    </Stack>
  );
}

const NoSuchEndpoint = () => (
  <NotFoundCard
    icon={IconWebhookOff}
    title={texts.notFound}
    why={texts.whyNotFound}
    all={{ href: "/webhooks", label: texts.allEndpoints }}
  />
);
