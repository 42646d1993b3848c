"use client";

import { Progress, Stack, Text, Title } from "@mantine/core";
import { useEffect, useRef } from "react";
import { ErrorAlert } from "@/app/_ui/forms/error-alert";
import { formatCount } from "@/app/_ui/values/count";
import { FigureList } from "@/app/_ui/values/figure-list";
import type { ImportProgress, ImportStage } from "./use-import";

const TITLES = { running: "Importing…", stopped: "This import is not complete", done: "Import complete" };

/** How far an import has come, and its result. */
export function ImportProgressView({
  stage,
  progress,
  total,
  error,
}: {
  stage: Exclude<ImportStage, "choosing">;
  progress: ImportProgress;
  /** Numbers to import. */
  total: number;
  error: unknown;
}) {
  const title = useRef<HTMLHeadingElement>(null);
  // The button that was pressed is gone, and the focus with it.
  useEffect(() => {
    if (stage) title.current?.focus();
  }, [stage]);
  return (
    <Stack gap="sm">
      <Title order={3} size="h5" ref={title} tabIndex={-1} style={{ outline: "none" }}>
        {TITLES[stage]}
      </Title>
      {stage !== "done" && <Progress value={(progress.confirmed / total) * 100} aria-label="Numbers confirmed" />}
      <div role="status">
        <Text size="sm" mb="sm">
          {`${formatCount(progress.confirmed)} of ${formatCount(total)} confirmed.`}
        </Text>
        <FigureList
          figures={[
            ["Added", progress.added],
            ["Suppressed already", progress.existing],
          ]}
        />
      </div>
      <ErrorAlert error={error} title="The last part was not confirmed" />
      {stage !== "done" && (
        <Text size="sm" c="dimmed">
          {stage === "running"
            ? "Keep this page open. Confirmed numbers stay suppressed if it closes; importing the same list again is harmless."
            : "Confirmed numbers stay suppressed. Continue, or import the same list again later: no number is added twice."}
        </Text>
      )}
    </Stack>
  );
}
