"use client";

import { ActionIcon, Anchor, Box, Button, Card, Group, Stack, Text, Tooltip, VisuallyHidden } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconPlus, IconTrash, IconWebhook } from "@tabler/icons-react";
import Link from "next/link";
import { useRouter } from "next/navigation";
import { trpc } from "@/app/_trpc/client";
import { formatCount } from "@/app/_ui/count";
import { EmptyState } from "@/app/_ui/empty-state";
import { PageHeader } from "@/app/_ui/page-header";
import { type Column, PagedTable } from "@/app/_ui/paged-table";
import { QueryState } from "@/app/_ui/query-state";
import { Time } from "@/app/_ui/time";
import type { WebhookEndpoint } from "@/server/webhooks/schema";
import { CreateEndpointDialog } from "./create-endpoint-dialog";
import { EndpointEvents, EndpointState } from "./endpoint-state";
import { useEndpointActions } from "./use-endpoint-actions";

const REFRESH_MS = 10_000;

const columns: ReadonlyArray<Column<WebhookEndpoint>> = [
  {
    key: "url",
    header: "Endpoint",
    render: (endpoint) => (
      <Stack gap={0} maw={360}>
        <Anchor
          component={Link}
          href={`/webhooks/${endpoint.id}`}
          size="sm"
          fw={500}
          style={{ overflowWrap: "anywhere" }}
        >
          {endpoint.url}
        </Anchor>
        {endpoint.description && (
          <Text size="xs" c="dimmed" lineClamp={1}>
            {endpoint.description}
          </Text>
        )}
      </Stack>
    ),
  },
  { key: "events", header: "Events", visibleFrom: "md", render: (endpoint) => <EndpointEvents endpoint={endpoint} /> },
  {
    key: "state",
    header: "State",
    render: (endpoint) => (
      <Box display="flex" miw="max-content">
        <EndpointState endpoint={endpoint} />
      </Box>
    ),
  },
  {
    key: "failures",
    header: "Failures in a row",
    align: "right",
    visibleFrom: "lg",
    render: (endpoint) => <span className="tabular">{formatCount(endpoint.failure_count)}</span>,
  },
  {
    key: "success",
    header: "Last success",
    visibleFrom: "sm",
    render: (endpoint) => <Time value={endpoint.last_success_at} fallback="Never" />,
  },
  {
    key: "failure",
    header: "Last failure",
    visibleFrom: "lg",
    render: (endpoint) => <Time value={endpoint.last_failure_at} fallback="Never" />,
  },
  {
    key: "deeds",
    header: <VisuallyHidden>Actions</VisuallyHidden>,
    align: "right",
    render: (endpoint) => <EndpointButtons endpoint={endpoint} />,
  },
];

/** The endpoints that events are posted to, and how that goes. */
export function WebhooksView() {
  const router = useRouter();
  const endpoints = trpc.webhooks.list.useQuery(undefined, { refetchInterval: REFRESH_MS });
  const [creating, dialog] = useDisclosure(false);
  const addButton = (
    <Button leftSection={<IconPlus size={16} />} onClick={dialog.open}>
      Add endpoint
    </Button>
  );
  // An empty list offers the deed itself.
  const hasSome = endpoints.data?.data.length !== 0 && !endpoints.isPending;
  return (
    <>
      <PageHeader
        title="Webhooks"
        description="Every change of a message is posted to your endpoints, signed and with retries."
        actions={hasSome && addButton}
      />
      <QueryState query={endpoints}>
        {({ data }) => (
          <Card padding={0}>
            <PagedTable
              label="Webhook endpoints"
              columns={columns}
              rows={data}
              rowKey={(endpoint) => endpoint.id}
              onRowClick={(endpoint) => router.push(`/webhooks/${endpoint.id}`)}
              empty={
                <EmptyState icon={IconWebhook} title="No endpoint yet" action={addButton}>
                  Add the URL of your own service to be told when messages are sent, delivered or fail.
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
  const deeds = useEndpointActions(endpoint);
  return (
    <Group gap={4} wrap="nowrap" justify="flex-end">
      {!endpoint.is_active && (
        <Button
          size="compact-sm"
          variant="light"
          aria-label={`Enable ${endpoint.url}`}
          loading={deeds.isEnabling}
          onClick={deeds.enable}
        >
          Enable
        </Button>
      )}
      <Tooltip label="Delete">
        <ActionIcon
          variant="subtle"
          color="red"
          aria-label={`Delete ${endpoint.url}`}
          loading={deeds.isDeleting}
          onClick={deeds.askToDelete}
        >
          <IconTrash size={16} />
        </ActionIcon>
      </Tooltip>
    </Group>
  );
}
