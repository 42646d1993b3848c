"use client";

import { Button, Card, Group, Stack, Text, VisuallyHidden } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { keepPreviousData } from "@tanstack/react-query";
import { IfMayChange } from "@/app/_shell/may-change";
import { suppressionsTexts as texts } from "@/app/_texts/suppressions/list";
import { trpc } from "@/app/_trpc/client";
import { LIVE_REFRESH_MS, useLive } from "@/app/_trpc/use-live";
import { useCreateDialog } from "@/app/_ui/forms/use-create-dialog";
import { PageHeader } from "@/app/_ui/frame/page-header";
import { IconMessageOff, IconPlus, IconUpload } from "@/app/_ui/icons/icons";
import { EmptyState } from "@/app/_ui/lists/empty-state";
import { ExportButton } from "@/app/_ui/lists/export-button";
import { HINT_SPACE } from "@/app/_ui/lists/filter-hint";
import { NoMatch } from "@/app/_ui/lists/no-match";
import { NumberFilter } from "@/app/_ui/lists/number-filter";
import { type Column, PagedTable } from "@/app/_ui/lists/paged-table";
import { QueryState } from "@/app/_ui/lists/query-state";
import { UnusableFilters } from "@/app/_ui/lists/unusable-filters";
import { useUrlState } from "@/app/_ui/lists/use-url-state";
import { StatusBadge } from "@/app/_ui/values/status-badge";
import { Time } from "@/app/_ui/values/time";
import { isE164 } from "@/server/messages/phone";
import type { Suppression } from "@/server/suppressions/schema";
import { AddSuppressionDialog } from "./add-suppression-dialog";
import { ImportDialog } from "./import-dialog";
import { RemoveButton } from "./remove-button";

const PAGE_SIZE = 25;

/** The suppressed numbers of the account: opted out with STOP, or added manually. */
export function SuppressionsView() {
  const { params, page, change, setPage } = useUrlState();
  const utils = trpc.useUtils();
  const [adding, dialog] = useCreateDialog();
  const [importing, importDialog] = useDisclosure(false);
  const requested = params.get("number") ?? "";
  // Anything that is not a complete number is ignored.
  const number = isE164(requested) ? requested : "";
  const suppressions = trpc.suppressions.list.useQuery(
    { number: number || undefined, page, limit: PAGE_SIZE },
    // Polls as well, in case a notice is lost.
    { placeholderData: keepPreviousData, refetchInterval: LIVE_REFRESH_MS },
  );
  useLive(["suppressions"], () => void utils.suppressions.invalidate());
  const importButton = (
    <Button variant="default" leftSection={<IconUpload size={16} aria-hidden />} onClick={importDialog.open}>
      {texts.import}
    </Button>
  );
  const addButton = (
    <Button leftSection={<IconPlus size={16} />} onClick={dialog.open}>
      {texts.suppressNumber}
    </Button>
  );
  // An empty list has the button in its empty state, and nothing to search.
  const hasSome = !suppressions.isPending && (number !== "" || suppressions.data?.pagination.total !== 0);
  return (
    <>
      <PageHeader
        title={texts.title}
        description={texts.description}
        actions={
          hasSome && (
            <>
              <ExportButton list={{ list: "suppressions", number: number || undefined }} />
              <IfMayChange>
                {importButton}
                {addButton}
              </IfMayChange>
            </>
          )
        }
      />
      {hasSome && (
        <Group mb={HINT_SPACE}>
          <NumberFilter
            label={texts.number}
            number={number}
            onChange={(next) => change({ number: next }, "replace")}
            w={{ base: "100%", xs: 240 }}
          />
        </Group>
      )}
      <UnusableFilters params={params} understood={{ number }} change={change} />
      <QueryState query={suppressions}>
        {({ items, pagination }) => (
          <Card padding={0}>
            <PagedTable
              label={texts.title}
              columns={columns()}
              rows={items}
              rowKey={(suppression) => suppression.id}
              pagination={pagination}
              onPage={setPage}
              busy={suppressions.isPlaceholderData}
              empty={
                number ? (
                  <NotSuppressed number={number} onClear={() => change({ number: undefined })} />
                ) : (
                  <EmptyState
                    icon={IconMessageOff}
                    title={texts.noneYet.title}
                    action={
                      <IfMayChange>
                        <Group gap="sm" justify="center">
                          {importButton}
                          {addButton}
                        </Group>
                      </IfMayChange>
                    }
                  >
                    {texts.noneYet.explanation}
                  </EmptyState>
                )
              }
            />
          </Card>
        )}
      </QueryState>
      <AddSuppressionDialog opened={adding} onClose={dialog.close} />
      <ImportDialog opened={importing} onClose={importDialog.close} />
    </>
  );
}

const columns = (): ReadonlyArray<Column<Suppression>> => [
  {
    key: "number",
    header: texts.number,
    render: ({ number, note }) => (
      <Stack gap={0}>
        <Text size="sm" fw={500} className="tabular nowrap">
          {number}
        </Text>
        {note && (
          <Text size="xs" c="dimmed" style={{ overflowWrap: "anywhere" }} dir="auto">
            {note}
          </Text>
        )}
      </Stack>
    ),
  },
  {
    key: "sender",
    header: texts.from,
    render: ({ sender_id: sender }) => (
      <span className={sender === null ? "short" : "short break-word"}>{sender ?? texts.allSenders}</span>
    ),
  },
  {
    key: "reason",
    header: texts.reason,
    visibleFrom: "xs",
    render: ({ reason }) => (
      <StatusBadge tone={reason === "stop" ? "warning" : "neutral"}>
        {reason === "stop" ? texts.optedOut : texts.addedManually}
      </StatusBadge>
    ),
  },
  {
    key: "created",
    header: texts.since,
    align: "right",
    visibleFrom: "sm",
    render: (suppression) => <Time value={suppression.created_at} />,
  },
  {
    key: "actions",
    header: <VisuallyHidden>{texts.actions}</VisuallyHidden>,
    align: "right",
    render: (suppression) => (
      <IfMayChange>
        <RemoveButton suppression={suppression} />
      </IfMayChange>
    ),
  },
];

function NotSuppressed({ number, onClear }: { number: string; onClear: () => void }) {
  return (
    <NoMatch title={texts.notFound.title(number)} showAll={texts.notFound.showAll} onClear={onClear}>
      {texts.notFound.explanation}
    </NoMatch>
  );
}
