"use client";

import { Card, Checkbox, Group, Title } from "@mantine/core";
import { keepPreviousData } from "@tanstack/react-query";
import { useState } from "react";
import { useMayChange } from "@/app/_shell/may-change";
import { sharedTexts } from "@/app/_texts/shared";
import { deliveriesTexts as texts } from "@/app/_texts/webhooks/deliveries";
import { trpc } from "@/app/_trpc/client";
import { LIVE_REFRESH_MS, useLive } from "@/app/_trpc/use-live";
import { IconPackages } from "@/app/_ui/icons/icons";
import { EmptyState } from "@/app/_ui/lists/empty-state";
import { FilterSelect } from "@/app/_ui/lists/filter-select";
import { NoMatch } from "@/app/_ui/lists/no-match";
import { type Column, PagedTable } from "@/app/_ui/lists/paged-table";
import { QueryState } from "@/app/_ui/lists/query-state";
import { TextFilter } from "@/app/_ui/lists/text-filter";
import { UnusableFilters } from "@/app/_ui/lists/unusable-filters";
import { oneOf, useUrlState } from "@/app/_ui/lists/use-url-state";
import type { NumberedDelivery } from "@/server/webhooks/schema";
import { ChosenDeliveries } from "./chosen-deliveries";
import { DELIVERY_STATUSES, DeliveryRow } from "./delivery-row";
import { isResendable } from "./resendable";

const MESSAGE_ID_MAX = 40;
const PAGE_SIZE = 20;
const REFRESH_MS = 5_000;

/** The ids that are chosen of those that can be sent again. */
type Chosen = { all: string[]; chosen: string[]; choose: (ids: string[]) => void };

/** Chooses deliveries to send again. */
const choiceColumn = ({ all, chosen, choose }: Chosen): Column<NumberedDelivery> => ({
  key: "choice",
  header: (
    <Checkbox
      size="xs"
      aria-label={texts.selectAll}
      disabled={all.length === 0}
      checked={all.length > 0 && chosen.length === all.length}
      indeterminate={chosen.length > 0 && chosen.length < all.length}
      onChange={(event) => choose(event.currentTarget.checked ? all : [])}
    />
  ),
  width: 1,
  render: ({ id, event_type: type }) => (
    <Checkbox
      size="xs"
      aria-label={texts.select(type, id)}
      disabled={!all.includes(id)}
      checked={chosen.includes(id)}
      onChange={(event) =>
        choose(event.currentTarget.checked ? [...chosen, id] : chosen.filter((other) => other !== id))
      }
    />
  ),
});

/** One column, because a delivery expands in place over the whole width. */
const deliveryColumn = (endpointId: string): Column<NumberedDelivery> => ({
  key: "delivery",
  header: texts.event,
  render: (delivery) => <DeliveryRow delivery={delivery} endpointId={endpointId} />,
});

/** The deliveries to an endpoint, newest first, each with its tries. */
export function DeliveryList({ endpointId }: { endpointId: string }) {
  const { params, page, change, setPage } = useUrlState();
  const status = oneOf(DELIVERY_STATUSES, params.get("status"));
  const messageId = params.get("message")?.slice(0, MESSAGE_ID_MAX) ?? "";
  const utils = trpc.useUtils();
  const isLive = useLive(["deliveries"], () => {
    void utils.webhooks.numberedDeliveries.invalidate({ id: endpointId });
    void utils.webhooks.get.invalidate({ id: endpointId });
  });
  const deliveries = trpc.webhooks.numberedDeliveries.useQuery(
    { id: endpointId, status, message_id: messageId || undefined, page, limit: PAGE_SIZE },
    { placeholderData: keepPreviousData, refetchInterval: isLive ? LIVE_REFRESH_MS : REFRESH_MS },
  );
  const mayChange = useMayChange();
  const [marked, choose] = useState<string[]>([]);
  const all = (deliveries.data?.items ?? []).filter(isResendable).map(({ id }) => id);
  // Marks of other pages and filters, and of what is on its way by now, count no longer.
  const chosen = marked.filter((id) => all.includes(id));
  return (
    <section aria-label={texts.title}>
      <Group justify="space-between" align="flex-end" mb="md">
        <Title order={2} size="h4">
          {texts.title}
        </Title>
        <Group gap="sm" flex="1 1 300px" justify="flex-end">
          <TextFilter
            aria-label={texts.message}
            placeholder="msg_…"
            maxLength={MESSAGE_ID_MAX}
            value={messageId}
            onChange={(message) => change({ message }, "replace")}
            maw={{ sm: 300 }}
          />
          <FilterSelect
            aria-label={sharedTexts.status}
            placeholder={texts.anyStatus}
            options={DELIVERY_STATUSES.map((value) => ({ value, label: texts.statuses[value] }))}
            value={status}
            onChange={(value) => change({ status: value })}
            w={180}
          />
        </Group>
      </Group>
      <UnusableFilters params={params} understood={{ status }} change={change} />
      <QueryState query={deliveries}>
        {({ items, pagination }) => (
          <Card padding={0}>
            <ChosenDeliveries endpointId={endpointId} ids={chosen} onClear={() => choose([])} />
            <PagedTable
              label={texts.title}
              columns={[...(mayChange ? [choiceColumn({ all, chosen, choose })] : []), deliveryColumn(endpointId)]}
              rows={items}
              rowKey={(delivery) => delivery.id}
              pagination={pagination}
              onPage={setPage}
              busy={deliveries.isPlaceholderData}
              empty={
                status || messageId ? (
                  <NoneFound
                    isOfMessage={messageId !== ""}
                    onClear={() => change({ status: undefined, message: undefined })}
                  />
                ) : (
                  <NoDelivery />
                )
              }
            />
          </Card>
        )}
      </QueryState>
    </section>
  );
}

function NoDelivery() {
  return (
    <EmptyState icon={IconPackages} title={texts.noDeliveriesYet}>
      {texts.whatAppears}
    </EmptyState>
  );
}

function NoneFound({ isOfMessage, onClear }: { isOfMessage: boolean; onClear: () => void }) {
  return (
    <NoMatch title={isOfMessage ? texts.noneOfMessage : texts.noneWithStatus} showAll={texts.showAll} onClear={onClear}>
      {isOfMessage && texts.whyNoneOfMessage}
    </NoMatch>
  );
}
