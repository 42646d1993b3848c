"use client";

import { useEffect, useState } from "react";
import type { NumberList, NumberReader } from "./number-list";

const NO_LIST: { list: NumberList; column: number; readNumber: NumberReader } = {
  list: { columns: [], records: [], lines: [] },
  column: 0,
  readNumber: () => null,
};

/** A column that was chosen in a table with these headings. */
type Chosen = { columns: string; column: number };

/**
 * Parses a text into a list, with the column of its numbers and the way to read them. The likeliest column is taken until
 * somebody chooses one; the choice stays while lines of that table are edited.
 */
export function useNumberList(text: string) {
  const [read, setRead] = useState(NO_LIST);
  const [chosen, setChosen] = useState<Chosen | null>(null);
  useEffect(() => {
    let isCurrent = true;
    // The reader of tables is loaded when there is something to read.
    if (text.trim() === "") {
      setRead(NO_LIST);
      setChosen(null);
    } else
      void import("./number-list").then(({ readList, numberColumn, readNumber }) => {
        if (!isCurrent) return;
        const list = readList(text);
        setRead({ list, column: numberColumn(list), readNumber });
      });
    return () => {
      isCurrent = false;
    };
  }, [text]);
  const columns = JSON.stringify(read.list.columns);
  return {
    ...read,
    column: chosen?.columns === columns ? chosen.column : read.column,
    setColumn: (column: number) => setChosen({ columns, column }),
  };
}
