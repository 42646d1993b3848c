"use client";

import { Box, Button, Group, type MantineBreakpoint, Pagination, Text } from "@mantine/core";
import type { MouseEvent, ReactNode } from "react";
import { listsTexts as texts } from "@/app/_texts/ui/lists";
import { isOnline } from "@/app/_ui/connection/connection";
import { IconFileOff } from "@/app/_ui/icons/icons";
import { formatCount } from "../values/count";
import { EmptyState } from "./empty-state";
import { Table } from "./table";

export type Column<Row> = {
  key: string;
  header: ReactNode;
  render: (row: Row) => ReactNode;
  align?: "right";
  width?: number | string;
  /** Takes the width that the others leave, in one line. One column at most. */
  isWide?: boolean;
  /** Hidden on narrower screens. */
  visibleFrom?: MantineBreakpoint;
};

type PageInfo = { page: number; limit: number; total: number; pages: number };

/** The classes of a column's cells, which are plain elements: a list has hundreds. */
const classesOf = <Row,>({ align, isWide, visibleFrom }: Column<Row>): string | undefined =>
  [align, isWide && "wide", visibleFrom && `mantine-visible-from-${visibleFrom}`].filter(Boolean).join(" ") ||
  undefined;

/**
 * Whether a click opens the row: not if it is on a link, button or field inside it, ends a text selection, or has a modifier key
 * that would open a link elsewhere.
 */
const opensRow = ({ target, ctrlKey, metaKey, shiftKey }: MouseEvent): boolean =>
  !(target instanceof Element && target.closest("a, button, input, label, [role=menu]")) &&
  window.getSelection()?.isCollapsed !== false &&
  !(ctrlKey || metaKey || shiftKey);

/**
 * A table with a pager below; `pagination` null: no pager. `empty` replaces a list without rows.
 * A clickable row also needs a link to its page, for keyboards and screen readers.
 */
export function PagedTable<Row>({
  label,
  columns,
  rows,
  rowKey,
  pagination = null,
  onPage,
  onRowClick,
  empty,
  busy = false,
  minWidth = 280,
}: {
  /** Accessible name of the table. */
  label?: string;
  columns: ReadonlyArray<Column<Row>>;
  rows: readonly Row[];
  rowKey: (row: Row) => string;
  pagination?: PageInfo | null;
  onPage?: (page: number) => void;
  onRowClick?: (row: Row) => void;
  empty: ReactNode;
  /** Another page is loading; the rows shown are the previous ones. */
  busy?: boolean;
  /** Pixels below which the table scrolls sideways. */
  minWidth?: number;
}) {
  if (rows.length === 0) {
    if (!pagination || pagination.total === 0 || pagination.page === 1) return <>{empty}</>;
    return <NoSuchPage page={pagination.page} pages={pagination.pages} onPage={onPage} />;
  }
  const rowProps = (row: Row) =>
    onRowClick && {
      // A dialog that a click opened returns the focus to the row.
      tabIndex: -1,
      className: "clickable",
      onClick: (event: MouseEvent) => opensRow(event) && isOnline() && onRowClick(row),
    };
  return (
    <Box aria-busy={busy} opacity={busy ? 0.6 : 1}>
      <div className="table-scroll">
        <Table aria-label={label} miw={minWidth} data-clickable={Boolean(onRowClick) || undefined}>
          <thead>
            <tr>
              {columns.map((column) => (
                <th key={column.key} className={classesOf(column)} style={{ width: column.width }}>
                  {column.header}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={rowKey(row)} {...rowProps(row)}>
                {columns.map((column) => (
                  <td key={column.key} className={classesOf(column)}>
                    {column.render(row)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </Table>
      </div>
      {pagination && <Pager pagination={pagination} shown={rows.length} onPage={onPage} />}
    </Box>
  );
}

/** Shown for a page past the end, from an old link or because its last rows are gone. */
function NoSuchPage({ page, pages, onPage }: { page: number; pages: number; onPage?: (page: number) => void }) {
  return (
    <EmptyState
      icon={IconFileOff}
      title={texts.noSuchPage.title(formatCount(page))}
      action={
        <Button variant="light" onClick={() => onPage?.(1)}>
          {texts.noSuchPage.backToFirst}
        </Button>
      }
    >
      {texts.noSuchPage.pages(pages, formatCount(pages))}
    </EmptyState>
  );
}

function Pager({
  pagination: { page, limit, total, pages },
  shown,
  onPage,
}: {
  pagination: PageInfo;
  shown: number;
  onPage?: (page: number) => void;
}) {
  const first = (page - 1) * limit + 1;
  // Not `disabled`: on the last page the pressed button would lose the focus.
  const unlessAt = (end: number) =>
    page === end ? { disabled: false, "aria-disabled": true, "data-disabled": true } : {};
  return (
    <Group justify="space-between" gap="sm" px="lg" py="md" className="table-foot">
      <Text size="sm" c="dimmed" role="status">
        {texts.rowsOf(formatCount(first), formatCount(first + shown - 1), formatCount(total))}
      </Text>
      {pages > 1 && (
        <Pagination
          component="nav"
          aria-label={texts.pages}
          size="sm"
          gap={4}
          total={pages}
          value={page}
          onChange={onPage}
          siblings={1}
          getItemProps={(to) => ({ "aria-label": texts.page(to) })}
          getControlProps={(control) => ({
            "aria-label": texts.turns[control],
            ...unlessAt(control === "next" ? pages : 1),
          })}
        />
      )}
    </Group>
  );
}
