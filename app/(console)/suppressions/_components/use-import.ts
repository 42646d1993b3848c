"use client";

import { useEffect, useRef, useState } from "react";
import { numbersTexts } from "@/app/_texts/numbers";
import { trpc } from "@/app/_trpc/client";
import type { ImportResult } from "@/server/suppressions/import-schema";
import type { LineProblem } from "../../_numbers/problem-lines";
import type { ImportSlice } from "./import-list";

/** `stopped`: by the person or by an error, before the last call. */
export type ImportStage = "choosing" | "running" | "stopped" | "done";

/** Progress of an import. `calls`: how many were confirmed. */
export type ImportProgress = {
  calls: number;
  confirmed: number;
  added: number;
  existing: number;
  problems: LineProblem[];
};

const NOTHING: ImportProgress = { calls: 0, confirmed: 0, added: 0, existing: 0, problems: [] };

/** The lines that the service itself refuses: it has the last word on a number. */
const refusedBy = (slice: ImportSlice, { refusals }: ImportResult): LineProblem[] =>
  refusals.map(({ line, number }) => ({
    line: slice.rows[line - 1]?.line ?? 0,
    number,
    problem: numbersTexts.notANumber,
  }));

/**
 * Imports slice by slice, each confirmed before the next. A call that got no reply is repeated when the import continues,
 * and then changes nothing.
 */
export function useImport(stage: ImportStage, onStage: (stage: ImportStage) => void) {
  const utils = trpc.useUtils();
  const [progress, setProgress] = useState(NOTHING);
  const [error, setError] = useState<unknown>(null);
  const isStopped = useRef(false);
  const isRunning = useRef(false);

  useEffect(
    () => () => {
      isStopped.current = true;
    },
    [],
  );

  useEffect(() => {
    if (stage !== "running") return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener("beforeunload", ask);
    return () => window.removeEventListener("beforeunload", ask);
  }, [stage]);

  async function run(slices: readonly ImportSlice[], note: string): Promise<void> {
    // A second press of Enter may come before the new stage is rendered.
    if (isRunning.current) return;
    isRunning.current = true;
    isStopped.current = false;
    setError(null);
    onStage("running");
    let current = progress;
    try {
      for (const slice of slices.slice(current.calls)) {
        if (isStopped.current) break;
        const result = await utils.client.suppressions.import.mutate({
          numbers: slice.rows.map(({ number }) => number),
          sender_id: slice.senderId || null,
          note: note.trim() || null,
        });
        current = {
          calls: current.calls + 1,
          confirmed: current.confirmed + slice.rows.length,
          added: current.added + result.added,
          existing: current.existing + result.existing,
          problems: [...current.problems, ...refusedBy(slice, result)],
        };
        setProgress(current);
      }
    } catch (thrown) {
      setError(thrown);
    }
    isRunning.current = false;
    onStage(current.calls === slices.length ? "done" : "stopped");
    void utils.suppressions.invalidate();
  }

  const stop = () => {
    isStopped.current = true;
  };
  return { progress, error, run, stop };
}
