"use client";

import { Button, Card, Group, Select, Title } from "@mantine/core";
import { IconFilterOff, IconPackages } from "@tabler/icons-react";
import { keepPreviousData } from "@tanstack/react-query";
import { trpc } from "@/app/_trpc/client";
import { EmptyState } from "@/app/_ui/lists/empty-state";
import { type Column, PagedTable } from "@/app/_ui/lists/paged-table";
import { QueryState } from "@/app/_ui/lists/query-state";
import { UnusableFilters } from "@/app/_ui/lists/unusable-filters";
import { oneOf, useUrlState } from "@/app/_ui/lists/use-url-state";
import type { Delivery } from "@/server/webhooks/schema";
import { DELIVERY_STATUS_VIEWS, DELIVERY_STATUSES, DeliveryRow } from "./delivery-row";

const PAGE_SIZE = 20;
const REFRESH_MS = 5_000;
const STATUS_OPTIONS = DELIVERY_STATUSES.map((status) => ({
  value: status,
  label: DELIVERY_STATUS_VIEWS[status].label,
}));

/** One column, because a delivery expands in place over the whole width. */
const columnsOf = (endpointId: string): ReadonlyArray<Column<Delivery>> => [
  {
    key: "delivery",
    header: "Event",
    render: (delivery) => <DeliveryRow delivery={delivery} endpointId={endpointId} />,
  },
];

/** The deliveries to an endpoint, newest first, each with its tries. */
export function DeliveryList({ endpointId }: { endpointId: string }) {
  const { params, page, change, setPage } = useUrlState();
  const status = oneOf(DELIVERY_STATUSES, params.get("status"));
  const deliveries = trpc.webhooks.deliveries.useQuery(
    { id: endpointId, status, page, limit: PAGE_SIZE },
    { placeholderData: keepPreviousData, refetchInterval: REFRESH_MS },
  );
  return (
    <section aria-label="Deliveries">
      <Group justify="space-between" align="flex-end" mb="md">
        <Title order={2} size="h4">
          Deliveries
        </Title>
        <Select
          comboboxProps={{ keepMounted: false }}
          aria-label="Status"
          placeholder="Any status"
          clearable
          data={STATUS_OPTIONS}
          value={status ?? null}
          onChange={(value) => change({ status: value ?? undefined })}
          w={180}
        />
      </Group>
      <UnusableFilters params={params} understood={{ status }} change={change} />
      <QueryState query={deliveries}>
        {({ items, pagination }) => (
          <Card padding={0}>
            <PagedTable
              label="Deliveries"
              columns={columnsOf(endpointId)}
              rows={items}
              rowKey={(delivery) => delivery.id}
              pagination={pagination}
              onPage={setPage}
              busy={deliveries.isPlaceholderData}
              empty={status ? <NoneWithStatus onClear={() => change({ status: undefined })} /> : <NoDelivery />}
            />
          </Card>
        )}
      </QueryState>
    </section>
  );
}

function NoDelivery() {
  return (
    <EmptyState icon={IconPackages} title="No deliveries yet">
      Send a test event, or a message: events that this endpoint is subscribed to appear here.
    </EmptyState>
  );
}

function NoneWithStatus({ onClear }: { onClear: () => void }) {
  return (
    <EmptyState
      icon={IconFilterOff}
      title="No deliveries with this status"
      action={
        <Button variant="light" onClick={onClear}>
          Show all deliveries
        </Button>
      }
    />
  );
}
