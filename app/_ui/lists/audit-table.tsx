"use client";

import { Box, Stack, Text } from "@mantine/core";
import type { ComponentProps } from "react";
import { auditTexts as texts } from "@/app/_texts/ui/audit";
import { IconHistory } from "@/app/_ui/icons/icons";
import { AUDIT_ACTIONS, type AuditAction } from "@/server/audit/actions";
import type { AuditEntry } from "@/server/audit/schema";
import { Time } from "../values/time";
import { EmptyState } from "./empty-state";
import { FilterSelect } from "./filter-select";
import { type Column, PagedTable } from "./paged-table";

const NOTHING = "–";

const shown = (value: unknown): string => {
  if (value === null || value === undefined || value === "") return NOTHING;
  return Array.isArray(value) ? value.join(", ") || NOTHING : String(value);
};

function Changes({ entry: { before, after } }: { entry: AuditEntry }) {
  const all = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  // A field that was empty before and after is of no interest.
  const names = all.filter((name) => [before?.[name], after?.[name]].some((value) => shown(value) !== NOTHING));
  return (
    <Stack gap={0}>
      {names.map((name) => (
        <Text key={name} size="xs" className="break-word">
          <Text span inherit c="dimmed">
            {texts.field(name)}{" "}
          </Text>
          {before && after ? `${shown(before[name])} → ${shown(after[name])}` : shown((after ?? before)?.[name])}
        </Text>
      ))}
    </Stack>
  );
}

function Actor({ actor: { kind, name, id } }: { actor: AuditEntry["actor"] }) {
  return (
    <>
      <Text size="sm">{texts.kinds[kind]}</Text>
      <Text size="xs" c="dimmed" className="break-word">
        {name ?? id}
      </Text>
    </>
  );
}

const columns = (): ReadonlyArray<Column<AuditEntry>> => [
  {
    key: "action",
    header: texts.action,
    render: (entry) => (
      <div className="audit-action">
        <Text size="sm" fw={500}>
          {texts.did(entry.action)}
          {!entry.livemode && (
            <Text span inherit c="orange" fw={500}>
              {" "}
              {texts.inTestMode}
            </Text>
          )}
        </Text>
        {entry.subject_id && (
          <Text size="xs" c="dimmed" className="mono break-word">
            {entry.subject_id}
          </Text>
        )}
        <Box hiddenFrom="md">
          <Changes entry={entry} />
        </Box>
        <Box hiddenFrom="sm">
          <Actor actor={entry.actor} />
          <Text size="xs" c="dimmed" component="div">
            <Time value={entry.created_at} />
          </Text>
        </Box>
      </div>
    ),
  },
  { key: "changes", header: texts.values, visibleFrom: "md", render: (entry) => <Changes entry={entry} /> },
  {
    key: "actor",
    header: texts.by,
    visibleFrom: "sm",
    width: "clamp(170px, 18vw, 270px)",
    render: ({ actor }) => <Actor actor={actor} />,
  },
  {
    key: "from",
    header: texts.from,
    visibleFrom: "lg",
    render: ({ address, device }) => (
      <>
        <Text size="sm">{address ?? NOTHING}</Text>
        <Text size="xs" c="dimmed">
          {device}
        </Text>
      </>
    ),
  },
  { key: "when", header: texts.when, visibleFrom: "sm", render: ({ created_at }) => <Time value={created_at} /> },
];

const accountColumn = (): Column<AuditEntry> => ({
  key: "account",
  header: texts.account,
  visibleFrom: "lg",
  render: ({ account_id }) => (
    <Text size="xs" c="dimmed" className="mono break-word">
      {account_id ?? texts.installation}
    </Text>
  ),
});

type Pages = Pick<ComponentProps<typeof PagedTable<AuditEntry>>, "pagination" | "onPage" | "busy">;

/** A page of the audit log. */
export function AuditTable({
  rows,
  withAccount = false,
  ...pages
}: { rows: AuditEntry[]; withAccount?: boolean } & Pages) {
  return (
    <PagedTable
      label={texts.log}
      columns={withAccount ? [...columns(), accountColumn()] : columns()}
      rows={rows}
      rowKey={({ id }) => id}
      empty={<EmptyState icon={IconHistory} title={texts.nothingRecorded} />}
      {...pages}
    />
  );
}

/** Filters the log by action. */
export function AuditActionSelect({
  value,
  onChange,
}: {
  value: AuditAction | undefined;
  onChange: (action: string | undefined) => void;
}) {
  return (
    <FilterSelect
      aria-label={texts.action}
      placeholder={texts.anything}
      options={AUDIT_ACTIONS.map((action) => ({ value: action, label: texts.did(action) }))}
      value={value}
      onChange={onChange}
      w={{ base: "100%", xs: 260 }}
    />
  );
}
