"use client";

import { ActionIcon, Anchor, Box, Button, Card, Group, Stack, Text, VisuallyHidden } from "@mantine/core";
import { useRouter } from "next/navigation";
import { useMayChange } from "@/app/_shell/may-change";
import { sharedTexts } from "@/app/_texts/shared";
import { webhooksTexts as texts } from "@/app/_texts/webhooks/list";
import { trpc } from "@/app/_trpc/client";
import { useCreateDialog } from "@/app/_ui/forms/use-create-dialog";
import { PageHeader } from "@/app/_ui/frame/page-header";
import { PageLink } from "@/app/_ui/frame/page-link";
import { IconPlus, IconTrash, IconWebhook } from "@/app/_ui/icons/icons";
import { EmptyState } from "@/app/_ui/lists/empty-state";
import { LongListTable } from "@/app/_ui/lists/long-table";
import type { Column } from "@/app/_ui/lists/paged-table";
import { QueryState } from "@/app/_ui/lists/query-state";
import { Tooltip } from "@/app/_ui/tooltip";
import { formatCount } from "@/app/_ui/values/count";
import { shortUrl } from "@/app/_ui/values/short-url";
import { Time } from "@/app/_ui/values/time";
import type { WebhookEndpoint } from "@/server/webhooks/schema";
import { CreateEndpointDialog } from "./create-endpoint-dialog";
import { EndpointEvents, EndpointState } from "./endpoint-state";
import { useEndpointActions } from "./use-endpoint-actions";

const REFRESH_MS = 10_000;

const columns = (): ReadonlyArray<Column<WebhookEndpoint>> => [
  {
    key: "url",
    header: texts.columns.endpoint,
    render: (endpoint) => (
      <Stack gap={0} maw={360}>
        <Anchor
          component={PageLink}
          href={`/webhooks/${endpoint.id}`}
          size="sm"
          fw={500}
          style={{ overflowWrap: "anywhere" }}
        >
          {shortUrl(endpoint.url)}
        </Anchor>
        {endpoint.description && (
          <Text size="xs" c="dimmed" lineClamp={1} className="break-word" dir="auto">
            {endpoint.description}
          </Text>
        )}
        <Box hiddenFrom="sm" mt={4}>
          <EndpointState endpoint={endpoint} />
        </Box>
      </Stack>
    ),
  },
  {
    key: "events",
    header: texts.columns.events,
    visibleFrom: "md",
    render: (endpoint) => <EndpointEvents endpoint={endpoint} />,
  },
  {
    key: "state",
    header: texts.columns.state,
    visibleFrom: "sm",
    render: (endpoint) => <EndpointState endpoint={endpoint} />,
  },
  {
    key: "failures",
    header: texts.columns.consecutiveFailures,
    align: "right",
    visibleFrom: "lg",
    render: (endpoint) => <span className="tabular">{formatCount(endpoint.failure_count)}</span>,
  },
  {
    key: "success",
    header: texts.columns.lastSuccess,
    visibleFrom: "sm",
    render: (endpoint) => <Time value={endpoint.last_success_at} fallback={texts.never} />,
  },
  {
    key: "failure",
    header: texts.columns.lastFailure,
    visibleFrom: "lg",
    render: (endpoint) => <Time value={endpoint.last_failure_at} fallback={texts.never} />,
  },
  {
    key: "actions",
    header: <VisuallyHidden>{texts.columns.actions}</VisuallyHidden>,
    align: "right",
    render: (endpoint) => <EndpointButtons endpoint={endpoint} />,
  },
];

/** The webhook endpoints of the account with their state. */
export function WebhooksView() {
  const router = useRouter();
  const endpoints = trpc.webhooks.list.useQuery(undefined, { refetchInterval: REFRESH_MS });
  const mayChange = useMayChange();
  const [creating, dialog] = useCreateDialog();
  const addButton = mayChange && (
    <Button leftSection={<IconPlus size={16} />} onClick={dialog.open}>
      {texts.addEndpoint}
    </Button>
  );
  // An empty list has the button in its empty state.
  const hasSome = endpoints.data?.data.length !== 0 && !endpoints.isPending;
  return (
    <>
      <PageHeader title={texts.title} description={texts.description} actions={hasSome && addButton} />
      <QueryState query={endpoints}>
        {({ data }) => (
          <Card padding={0}>
            <LongListTable
              label={texts.endpoints}
              columns={columns()}
              rows={data}
              rowKey={(endpoint) => endpoint.id}
              textOf={({ url, description, id }) => `${url} ${description ?? ""} ${id}`}
              onRowClick={(endpoint) => router.push(`/webhooks/${endpoint.id}`)}
              empty={
                <EmptyState icon={IconWebhook} title={texts.noEndpointsYet} action={addButton}>
                  {texts.whyAdd}
                </EmptyState>
              }
            />
          </Card>
        )}
      </QueryState>
      <CreateEndpointDialog opened={creating} onClose={dialog.close} />
    </>
  );
}

function EndpointButtons({ endpoint }: { endpoint: WebhookEndpoint }) {
  const mayChange = useMayChange();
  const actions = useEndpointActions(endpoint);
  if (!mayChange) return null;
  return (
    <Group gap={4} wrap="nowrap" justify="flex-end">
      {endpoint.paused_at && (
        <Button
          size="compact-sm"
          variant="light"
          aria-label={texts.resumeEndpoint(endpoint.url)}
          loading={actions.isResuming}
          onClick={actions.resume}
        >
          {texts.resume}
        </Button>
      )}
      {!endpoint.is_active && !endpoint.paused_at && (
        <Button
          size="compact-sm"
          variant="light"
          aria-label={texts.enableEndpoint(endpoint.url)}
          loading={actions.isEnabling}
          onClick={actions.enable}
        >
          {texts.enable}
        </Button>
      )}
      <Tooltip label={sharedTexts.delete}>
        <ActionIcon
          variant="subtle"
          color="red"
          aria-label={texts.deleteEndpoint(endpoint.url)}
          loading={actions.isDeleting}
          onClick={actions.askToDelete}
        >
          <IconTrash size={16} />
        </ActionIcon>
      </Tooltip>
    </Group>
  );
}
