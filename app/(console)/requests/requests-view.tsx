"use client";

import { Box, Button, Card, Center, Text } from "@mantine/core";
import { keepPreviousData } from "@tanstack/react-query";
import { requestsTexts as texts } from "@/app/_texts/requests";
import { sharedTexts } from "@/app/_texts/shared";
import { trpc } from "@/app/_trpc/client";
import { LinkButton } from "@/app/_ui/frame/link-button";
import { PageHeader } from "@/app/_ui/frame/page-header";
import { IconListSearch } from "@/app/_ui/icons/icons";
import { EmptyState } from "@/app/_ui/lists/empty-state";
import { NoMatch } from "@/app/_ui/lists/no-match";
import { type Column, PagedTable } from "@/app/_ui/lists/paged-table";
import { QueryState } from "@/app/_ui/lists/query-state";
import { RowLink } from "@/app/_ui/lists/row-link";
import { UnusableFilters } from "@/app/_ui/lists/unusable-filters";
import { useUrlState } from "@/app/_ui/lists/use-url-state";
import { Notice } from "@/app/_ui/notice";
import { formatCount } from "@/app/_ui/values/count";
import { Time } from "@/app/_ui/values/time";
import type { LoggedRequest, LoggedRequests } from "@/server/request-log/schema";
import { HttpStatus } from "./http-status";
import { RequestDialog } from "./request-dialog";
import { NO_FILTERS, RequestFilters, type RequestFilterValues, statusOf } from "./request-filters";

const PER_PAGE = 50;
const REFRESH_MS = 5_000;

/** `open` shows a request; `hrefOf` gives the address of the list with that request open. */
type Opening = { open: (id: string) => void; hrefOf: (id: string) => string };

const columns = ({ open, hrefOf }: Opening): ReadonlyArray<Column<LoggedRequest>> => [
  {
    key: "request",
    header: texts.columns.request,
    render: ({ id, method, path, created_at: at }) => (
      <>
        <RowLink href={hrefOf(id)} wraps onOpen={() => open(id)}>
          <Text span size="sm" className="mono">
            {method} {path}
          </Text>
        </RowLink>
        <Text size="xs" c="dimmed" component="div" hiddenFrom="sm">
          <Time value={at} />
        </Text>
      </>
    ),
  },
  {
    key: "status",
    header: sharedTexts.status,
    render: ({ status }) => <HttpStatus status={status} />,
  },
  {
    key: "latency",
    header: texts.columns.latency,
    align: "right",
    visibleFrom: "sm",
    render: ({ latency_ms: ms }) => <span className="tabular nowrap">{texts.milliseconds(formatCount(ms))}</span>,
  },
  {
    key: "address",
    header: texts.columns.address,
    visibleFrom: "lg",
    render: ({ address }) => <span className="tabular break-word">{address ?? "–"}</span>,
  },
  {
    key: "key",
    header: texts.columns.key,
    visibleFrom: "md",
    render: ({ key_name, key_id }) => <span className="break-word">{key_name ?? key_id}</span>,
  },
  {
    key: "when",
    header: texts.columns.when,
    align: "right",
    visibleFrom: "sm",
    render: (row) => <Time value={row.created_at} />,
  },
];

/** Says which requests the installation does not keep. */
function KeptNote({ mode }: { mode: LoggedRequests["mode"] }) {
  if (mode === "all") return null;
  return (
    <Box mb="md">
      <Notice title={texts.notKept[mode].title}>{texts.notKept[mode].text}</Notice>
    </Box>
  );
}

/** Requests that programs sent to the API in the last seven days. */
export function RequestsView() {
  const { params, change } = useUrlState();
  const filters: RequestFilterValues = {
    status: statusOf(params.get("status")),
    keyId: params.get("key") ?? "",
    path: params.get("path") ?? "",
    address: params.get("address") ?? "",
    requestId: params.get("request") ?? "",
  };
  const requests = trpc.requestLog.list.useInfiniteQuery(
    {
      status_class: filters.status,
      key_id: filters.keyId || undefined,
      path: filters.path || undefined,
      address: filters.address || undefined,
      request_id: filters.requestId || undefined,
      limit: PER_PAGE,
    },
    {
      getNextPageParam: ({ next }) => next,
      placeholderData: keepPreviousData,
      // Older pages would be read again too.
      refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) > 1 ? false : REFRESH_MS),
    },
  );
  const open = (id: string) => change({ open: id });
  const hrefOf = (id: string) =>
    `/requests?${new URLSearchParams([...params].filter(([name]) => name !== "open").concat([["open", id]]))}`;
  const isFiltered = Object.values(filters).some(Boolean);
  return (
    <>
      <PageHeader title={texts.title} description={texts.description} />
      <RequestFilters values={filters} isFiltered={isFiltered} change={change} />
      <UnusableFilters params={params} understood={{ status: filters.status }} change={change} />
      <QueryState query={requests}>
        {({ pages }) => (
          <>
            <KeptNote mode={pages[0]?.mode ?? "all"} />
            <Card padding={0}>
              {pages.at(-1)?.searched && (
                <Text size="sm" c="dimmed" px="lg" py="sm" className="card-bar">
                  {texts.searched(formatCount(pages.at(-1)?.searched ?? 0))}
                </Text>
              )}
              <PagedTable
                label={texts.requests}
                columns={columns({ open, hrefOf })}
                rows={pages.flatMap(({ items }) => items)}
                rowKey={({ id }) => id}
                onRowClick={({ id }) => open(id)}
                busy={requests.isPlaceholderData}
                empty={isFiltered ? <NothingFound onClear={() => change(NO_FILTERS)} /> : <NoRequests />}
              />
              {requests.hasNextPage && (
                <Center p="md" className="table-foot">
                  <Button
                    variant="default"
                    loading={requests.isFetchingNextPage}
                    onClick={() => void requests.fetchNextPage()}
                  >
                    {texts.showOlder}
                  </Button>
                </Center>
              )}
            </Card>
          </>
        )}
      </QueryState>
      <RequestDialog id={params.get("open")} onClose={() => change({ open: undefined }, "replace")} />
    </>
  );
}

function NoRequests() {
  return (
    <EmptyState
      icon={IconListSearch}
      title={texts.noRequestsYet}
      action={
        <LinkButton href="/docs/quick-start" variant="light">
          {texts.makeFirst}
        </LinkButton>
      }
    >
      {texts.whatAppears}
    </EmptyState>
  );
}

function NothingFound({ onClear }: { onClear: () => void }) {
  return <NoMatch title={texts.noneMatch} showAll={texts.showAll} onClear={onClear} />;
}
