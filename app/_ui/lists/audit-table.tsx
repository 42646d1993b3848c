"use client";

import { Box, Stack, Text } from "@mantine/core";
import type { ComponentProps } from "react";
import { IconHistory } from "@/app/_ui/icons/icons";
import { AUDIT_ACTIONS, type AuditAction } from "@/server/audit/actions";
import type { AuditEntry } from "@/server/audit/schema";
import { Time } from "../values/time";
import { EmptyState } from "./empty-state";
import { FilterSelect } from "./filter-select";
import { type Column, PagedTable } from "./paged-table";

/** `api_key.created` -> `API key created`. */
const wordsOf = (action: string): string => {
  const words = action.replace(/[._]/g, " ").replace(/\bapi\b/, "API");
  return words.charAt(0).toUpperCase() + words.slice(1);
};

const ACTIONS = AUDIT_ACTIONS.map((value) => ({ value, label: wordsOf(value) }));

const KINDS: Record<AuditEntry["actor"]["kind"], string> = {
  user: "Person",
  key: "API key",
  operator: "Operator",
  command: "Command line",
  system: "Service",
};

const NOTHING = "—";

const shown = (value: unknown): string => {
  if (value === null || value === undefined || value === "") return NOTHING;
  return Array.isArray(value) ? value.join(", ") || NOTHING : String(value);
};

function Changes({ entry: { before, after } }: { entry: AuditEntry }) {
  const all = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  // A field that has been empty all along says nothing.
  const names = all.filter((name) => [before?.[name], after?.[name]].some((value) => shown(value) !== NOTHING));
  return (
    <Stack gap={0}>
      {names.map((name) => (
        <Text key={name} size="xs" className="break-word">
          <Text span inherit c="dimmed">
            {name.replaceAll("_", " ")}:{" "}
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
      <Text size="sm">{KINDS[kind]}</Text>
      <Text size="xs" c="dimmed" className="break-word">
        {name ?? id}
      </Text>
    </>
  );
}

const columns: ReadonlyArray<Column<AuditEntry>> = [
  {
    key: "action",
    header: "Action",
    render: (entry) => (
      <>
        <Text size="sm" fw={500}>
          {wordsOf(entry.action)}
          {!entry.livemode && (
            <Text span inherit c="orange" fw={500}>
              {" "}
              in test mode
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
        </Box>
      </>
    ),
  },
  { key: "changes", header: "Values", visibleFrom: "md", render: (entry) => <Changes entry={entry} /> },
  {
    key: "actor",
    header: "By",
    visibleFrom: "sm",
    width: "clamp(170px, 18vw, 270px)",
    render: ({ actor }) => <Actor actor={actor} />,
  },
  {
    key: "from",
    header: "From",
    visibleFrom: "lg",
    render: ({ address, device }) => (
      <>
        <Text size="sm">{address ?? "—"}</Text>
        <Text size="xs" c="dimmed">
          {device}
        </Text>
      </>
    ),
  },
  { key: "when", header: "When", render: ({ created_at }) => <Time value={created_at} /> },
];

const accountColumn: Column<AuditEntry> = {
  key: "account",
  header: "Account",
  visibleFrom: "lg",
  render: ({ account_id }) => (
    <Text size="xs" c="dimmed" className="mono break-word">
      {account_id ?? "Installation"}
    </Text>
  ),
};

type Pages = Pick<ComponentProps<typeof PagedTable<AuditEntry>>, "pagination" | "onPage" | "busy">;

/** A page of the audit log. */
export function AuditTable({
  rows,
  withAccount = false,
  ...pages
}: { rows: AuditEntry[]; withAccount?: boolean } & Pages) {
  return (
    <PagedTable
      label="Audit log"
      columns={withAccount ? [...columns, accountColumn] : columns}
      rows={rows}
      rowKey={({ id }) => id}
      empty={<EmptyState icon={IconHistory} title="Nothing was recorded" />}
      {...pages}
    />
  );
}

/** Filters the log by what was done. */
export function AuditActionSelect({
  value,
  onChange,
}: {
  value: AuditAction | undefined;
  onChange: (action: string | undefined) => void;
}) {
  return (
    <FilterSelect
      aria-label="Action"
      placeholder="Anything"
      options={ACTIONS}
      value={value}
      onChange={onChange}
      w={{ base: "100%", xs: 260 }}
    />
  );
}
