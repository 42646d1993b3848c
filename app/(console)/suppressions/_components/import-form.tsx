"use client";

import { Button, Group, Stack } from "@mantine/core";
import { type FormEvent, useMemo, useState } from "react";
import { sharedTexts } from "@/app/_texts/shared";
import { importSuppressionsTexts as texts } from "@/app/_texts/suppressions/import";
import { trpc } from "@/app/_trpc/client";
import { FormButtons } from "@/app/_ui/forms/form-buttons";
import { IconDownload } from "@/app/_ui/icons/icons";
import { formatCount } from "@/app/_ui/values/count";
import { FigureList } from "@/app/_ui/values/figure-list";
import { type LineProblem, ProblemLines } from "../../_numbers/problem-lines";
import { useNumberList } from "../../_numbers/use-number-list";
import { type ListSource, SourceFields, type SuppressedFor } from "./import-fields";
import { checkList, senderColumn, toSlices } from "./import-list";
import { ImportProgressView } from "./import-progress";
import { type ImportStage, useImport } from "./use-import";

const PROBLEMS_PER_PAGE = 5;

async function download(problems: readonly LineProblem[]) {
  const { downloadText, toCsv } = await import("@/app/_ui/values/csv");
  const rows = problems.map(({ line, number, problem }) => [line, number, problem]);
  downloadText("refused-lines.csv", toCsv([["line", "number", "problem"], ...rows]));
}

/** The refused lines, and all of them as a file. */
function RefusedLines({ problems }: { problems: readonly LineProblem[] }) {
  if (problems.length === 0) return null;
  return (
    <Stack gap="xs">
      <ProblemLines problems={problems} perPage={PROBLEMS_PER_PAGE} />
      <Group>
        <Button
          variant="default"
          size="xs"
          leftSection={<IconDownload size={16} aria-hidden />}
          onClick={() => void download(problems)}
        >
          {texts.downloadRefused}
        </Button>
      </Group>
    </Stack>
  );
}

/** The actions on an import that has begun. */
function RunButtons({ stage, onStop, onClose }: { stage: ImportStage; onStop: () => void; onClose: () => void }) {
  return (
    <Group className="dialog-foot" justify="flex-end" gap="sm">
      {stage === "running" && (
        <Button variant="default" onClick={onStop}>
          {texts.stop}
        </Button>
      )}
      {stage === "stopped" && (
        <>
          <Button variant="default" onClick={onClose}>
            {sharedTexts.close}
          </Button>
          <Button type="submit">{texts.continue}</Button>
        </>
      )}
      {stage === "done" && <Button onClick={onClose}>{texts.done}</Button>}
    </Group>
  );
}

/** A pasted list or a file: chosen, checked, imported. */
export function ImportForm({
  stage,
  onStage,
  onClose,
}: {
  stage: ImportStage;
  onStage: (stage: ImportStage) => void;
  onClose: () => void;
}) {
  const senders = trpc.senders.names.useQuery();
  const [source, setSource] = useState<ListSource>({ text: "", fileName: null });
  const [chosen, setChosen] = useState<SuppressedFor>({ senderId: "", column: null, note: "" });
  /** The headings of the table for which the column of the sender IDs was chosen; null: it is guessed. */
  const [chosenIn, setChosenIn] = useState<string | null>(null);
  const { list, column, setColumn, readNumber } = useNumberList(source.text);
  const { progress, error, run, stop } = useImport(stage, onStage);

  const senderIds = useMemo(() => senders.data ?? [], [senders.data]);
  const columns = JSON.stringify(list.columns);
  const ofSenders = chosenIn === columns ? chosen.column : senderColumn(list);
  const checked = useMemo(
    () =>
      checkList(
        list,
        { numberColumn: column, readNumber, senderColumn: ofSenders, senderId: chosen.senderId },
        new Set(senderIds),
      ),
    [list, column, readNumber, ofSenders, chosen.senderId, senderIds],
  );
  const slices = useMemo(() => toSlices(checked.ready), [checked]);
  const problems = [...checked.problems, ...progress.problems].sort((a, b) => a.line - b.line);
  const count = checked.ready.length;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (count > 0) void run(slices, chosen.note);
  };

  return (
    <form onSubmit={submit} noValidate aria-label={texts.title}>
      <Stack gap="md">
        {stage === "choosing" ? (
          <SourceFields
            source={source}
            onSource={(next) => {
              setSource(next);
              if (next.text.trim() === "") setChosenIn(null);
            }}
            list={list}
            numberColumn={column}
            onNumberColumn={setColumn}
            chosen={{ ...chosen, column: ofSenders }}
            onChosen={(next) => {
              setChosen(next);
              setChosenIn(columns);
            }}
            senderIds={senderIds}
          />
        ) : (
          <ImportProgressView stage={stage} progress={progress} total={count} error={error} />
        )}
        {list.records.length > 0 && stage === "choosing" && (
          <div role="status" aria-label={texts.check}>
            <FigureList
              figures={[
                [texts.read, list.records.length],
                [texts.toImport, count],
                [texts.duplicates, checked.duplicates],
                [texts.refused, checked.problems.length],
              ]}
            />
          </div>
        )}
        <RefusedLines problems={problems} />
        {stage === "choosing" ? (
          <FormButtons
            submit={count === 0 ? texts.submit : texts.submitCount(count, formatCount(count))}
            busy={senders.isPending}
            onCancel={onClose}
          />
        ) : (
          <RunButtons stage={stage} onStop={stop} onClose={onClose} />
        )}
      </Stack>
    </form>
  );
}
