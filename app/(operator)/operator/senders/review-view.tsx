"use client";

import { ActionIcon, Box, Card, Group, SegmentedControl, Text, VisuallyHidden } from "@mantine/core";
import { keepPreviousData } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { senderReviewTexts as texts } from "@/app/_texts/operator/senders";
import { sharedTexts } from "@/app/_texts/shared";
import { trpc } from "@/app/_trpc/client";
import { ifHolds } from "@/app/_ui/changes/outcome";
import { useChange } from "@/app/_ui/changes/use-change";
import { Choice } from "@/app/_ui/forms/choice";
import { PageHeader } from "@/app/_ui/frame/page-header";
import { IconGauge, IconUserCheck } from "@/app/_ui/icons/icons";
import { EmptyState } from "@/app/_ui/lists/empty-state";
import { type Column, PagedTable } from "@/app/_ui/lists/paged-table";
import { QueryState } from "@/app/_ui/lists/query-state";
import { TextFilter } from "@/app/_ui/lists/text-filter";
import { UnusableFilters } from "@/app/_ui/lists/unusable-filters";
import { oneOf, useUrlState } from "@/app/_ui/lists/use-url-state";
import { toastDone, toastFailed } from "@/app/_ui/toast";
import { Tooltip } from "@/app/_ui/tooltip";
import { SENDER_STATUS_VIEWS, SENDER_TYPE_LABELS } from "@/app/_ui/values/sender-words";
import { StatusBadge } from "@/app/_ui/values/status-badge";
import { Time } from "@/app/_ui/values/time";
import type { ReviewedSender } from "@/server/operator/schema";
import { AccountLink } from "../account-link";
import { DecisionDialog } from "./decision-dialog";
import type { OpenDecision } from "./decision-form";
import { type Decision, DecisionMenu } from "./decision-menu";
import { readSender } from "./read-sender";
import { ThroughputDialog } from "./throughput-dialog";

type Filter = ReviewedSender["status"] | "all";

const FILTERS: readonly Filter[] = ["pending", "approved", "rejected", "suspended", "all"];
const FIRST: Filter = "pending";
const PER_PAGE = 25;
const SEARCH_MAX = 100;

export function ReviewView() {
  const { params, page, change, setPage } = useUrlState();
  const status = oneOf(FILTERS, params.get("status"));
  const filter = status ?? FIRST;
  const filters = FILTERS.map((value) => ({ value, label: texts.filters[value] }));
  const [limited, setLimited] = useState<ReviewedSender | null>(null);
  const [open, setOpen] = useState<OpenDecision | null>(null);
  const shownId = useRef<string | null>(null);
  shownId.current = open?.sender.id ?? null;
  const search = params.get("search") ?? "";
  const utils = trpc.useUtils();
  const list = trpc.operator.senders.useQuery(
    { status: filter === "all" ? undefined : filter, search: search || undefined, page, limit: PER_PAGE },
    { placeholderData: keepPreviousData },
  );
  const decide = useChange(utils.client.operator.decideSender.mutate, {
    look: async ({ id, decision }) => {
      const sender = list.data?.items.find((each) => each.id === id);
      return ifHolds(await readSender(utils.client, { id, sender_id: sender?.sender_id ?? "" }), { status: decision });
    },
    onSuccess: ({ sender_id, status }, { id }) => {
      toastDone(texts.decided[status](sender_id));
      setOpen((shown) => (shown?.sender.id === id ? null : shown));
    },
    // A dialog that is still open for it tells it itself.
    onError: (error, { id }) => {
      if (shownId.current !== id) toastFailed(error);
    },
    onSettled: () => void utils.operator.senders.invalidate(),
  });

  function choose(sender: ReviewedSender, decision: Decision) {
    decide.reset();
    // An approval is easily revoked, so it needs no dialog; a rejection or suspension may need a note.
    if (decision !== "approved") return setOpen({ sender, decision });
    decide.mutate({ id: sender.id, decision });
  }

  const show = (value: string | null) => change({ status: value === FIRST ? undefined : (value ?? undefined) });

  return (
    <>
      <PageHeader title={texts.title} description={texts.description} />
      <UnusableFilters params={params} understood={{ status }} change={change} />
      <Card padding={0}>
        <Group className="card-bar" gap="sm">
          <SegmentedControl
            aria-label={sharedTexts.status}
            size="sm"
            value={filter}
            data={filters}
            onChange={show}
            visibleFrom="xs"
          />
          <Choice
            aria-label={sharedTexts.status}
            value={filter}
            data={filters}
            onChange={show}
            hiddenFrom="xs"
            w="100%"
          />
          <TextFilter
            aria-label={texts.searchSenders}
            placeholder={texts.searchBy}
            flex="1 1 180px"
            maw={{ xs: 300 }}
            maxLength={SEARCH_MAX}
            value={search}
            onChange={(text) => change({ search: text }, "replace")}
          />
        </Group>
        <QueryState query={list}>
          {({ items, pagination }) => (
            <PagedTable
              label={texts.list}
              columns={columns(choose, setLimited, decide.isPending ? decide.variables.id : null)}
              rows={items}
              rowKey={({ id }) => id}
              pagination={pagination}
              onPage={setPage}
              busy={list.isPlaceholderData}
              empty={
                <EmptyState
                  icon={IconUserCheck}
                  title={filter === "pending" && !search ? texts.nothingToReview : texts.noSendersFound}
                >
                  {filter === "pending" && !search && texts.newSendersAppear}
                </EmptyState>
              }
            />
          )}
        </QueryState>
      </Card>
      <DecisionDialog
        open={open}
        busy={decide.isPending}
        onClose={() => setOpen(null)}
        onDecide={(note, onError) =>
          open && decide.mutate({ id: open.sender.id, decision: open.decision, note }, { onError })
        }
      />
      <ThroughputDialog sender={limited} onClose={() => setLimited(null)} />
    </>
  );
}

const SenderStatus = ({ status }: Pick<ReviewedSender, "status">) => (
  <StatusBadge tone={SENDER_STATUS_VIEWS[status].tone}>{SENDER_STATUS_VIEWS[status].label}</StatusBadge>
);

function columns(
  choose: (sender: ReviewedSender, decision: Decision) => void,
  onLimit: (sender: ReviewedSender) => void,
  busyId: string | null,
): Column<ReviewedSender>[] {
  return [
    {
      key: "sender",
      header: texts.senderId,
      render: (sender) => (
        <>
          <Text fw={600} size="sm" className="short">
            {sender.sender_id}
          </Text>
          <Box hiddenFrom="sm" fz="xs" dir="auto">
            <AccountLink {...sender} />
          </Box>
          <Box hiddenFrom="xs" mt={4}>
            <SenderStatus {...sender} />
          </Box>
        </>
      ),
    },
    {
      key: "account",
      header: texts.account,
      visibleFrom: "sm",
      render: (sender) => (
        <span dir="auto">
          <AccountLink {...sender} />
        </span>
      ),
    },
    { key: "type", header: texts.type, visibleFrom: "md", render: ({ type }) => SENDER_TYPE_LABELS[type] },
    {
      key: "country",
      header: texts.country,
      visibleFrom: "lg",
      render: ({ country_code }) => country_code ?? texts.anyCountry,
    },
    {
      key: "status",
      header: sharedTexts.status,
      visibleFrom: "xs",
      render: ({ status }) => <SenderStatus status={status} />,
    },
    {
      key: "throughput",
      header: texts.segmentsPerSecond,
      align: "right",
      visibleFrom: "xl",
      render: ({ max_segments_per_second }) => max_segments_per_second ?? texts.noLimit,
    },
    {
      key: "created",
      header: texts.registered,
      visibleFrom: "md",
      render: ({ created_at }) => <Time value={created_at} />,
    },
    {
      key: "actions",
      header: <VisuallyHidden>{texts.actions}</VisuallyHidden>,
      align: "right",
      render: (sender) => (
        <Group gap="xs" wrap="nowrap" justify="flex-end">
          <DecisionMenu sender={sender} busy={busyId === sender.id} onDecide={(decision) => choose(sender, decision)} />
          <Tooltip label={texts.throughput.title}>
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={texts.setThroughputLimit(sender.sender_id)}
              onClick={() => onLimit(sender)}
            >
              <IconGauge size={16} />
            </ActionIcon>
          </Tooltip>
        </Group>
      ),
    },
  ];
}
