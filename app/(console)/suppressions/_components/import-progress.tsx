"use client";

import { Progress, Stack, Text, Title } from "@mantine/core";
import { useEffect, useRef } from "react";
import { importSuppressionsTexts as texts } from "@/app/_texts/suppressions/import";
import { ErrorAlert } from "@/app/_ui/forms/error-alert";
import { formatCount } from "@/app/_ui/values/count";
import { FigureList } from "@/app/_ui/values/figure-list";
import type { ImportProgress, ImportStage } from "./use-import";

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
        {texts.states[stage]}
      </Title>
      {stage !== "done" && <Progress value={(progress.confirmed / total) * 100} aria-label={texts.confirmedBar} />}
      <div role="status">
        <Text size="sm" mb="sm">
          {texts.confirmed(formatCount(progress.confirmed), formatCount(total))}
        </Text>
        <FigureList
          figures={[
            [texts.added, progress.added],
            [texts.existing, progress.existing],
          ]}
        />
      </div>
      <ErrorAlert error={error} title={texts.partFailed} />
      {stage !== "done" && (
        <Text size="sm" c="dimmed">
          {stage === "running" ? texts.whileRunning : texts.whenStopped}
        </Text>
      )}
    </Stack>
  );
}
