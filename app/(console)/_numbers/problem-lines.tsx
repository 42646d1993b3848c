"use client";

import { Text } from "@mantine/core";
import { useState } from "react";
import { numbersTexts as texts } from "@/app/_texts/numbers";
import { type Column, PagedTable } from "@/app/_ui/lists/paged-table";
import { formatCount } from "@/app/_ui/values/count";

/** A line that is left out, and why. */
export type LineProblem = { line: number; number: string; problem: string };

const columns = (): Column<LineProblem & { at: number }>[] => [
  {
    key: "line",
    header: texts.problemLines.line,
    width: 1,
    render: ({ line }) => <span className="tabular nowrap">{formatCount(line)}</span>,
  },
  {
    key: "number",
    header: texts.problemLines.number,
    // A number has fifteen digits at most; anything else may break.
    render: ({ number, problem }) => (
      <>
        <Text size="sm" miw={136} className="break-word tabular">
          {number || "–"}
        </Text>
        <Text size="sm" c="dimmed" hiddenFrom="sm">
          {problem}
        </Text>
      </>
    ),
  },
  {
    key: "problem",
    header: texts.problemLines.problem,
    visibleFrom: "sm",
    render: ({ problem }) => <Text size="sm">{problem}</Text>,
  },
];

/** The lines that are left out, each with its reason. */
export function ProblemLines({ problems, perPage = 20 }: { problems: readonly LineProblem[]; perPage?: number }) {
  const [wanted, setPage] = useState(1);
  const pages = Math.ceil(problems.length / perPage);
  const page = Math.min(wanted, Math.max(1, pages));
  const start = (page - 1) * perPage;
  return (
    <PagedTable
      label={texts.problemLines.label}
      columns={columns()}
      rows={problems.slice(start, start + perPage).map((problem, at) => ({ ...problem, at: start + at }))}
      rowKey={({ at }) => String(at)}
      pagination={pages > 1 ? { page, limit: perPage, total: problems.length, pages } : null}
      onPage={setPage}
      minWidth={240}
      empty={null}
    />
  );
}
