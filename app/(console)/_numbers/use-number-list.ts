"use client";

import { useEffect, useState } from "react";
import type { NumberList, NumberReader } from "./number-list";

const NO_LIST: { list: NumberList; column: number; readNumber: NumberReader } = {
  list: { columns: [], records: [], lines: [] },
  column: 0,
  readNumber: () => null,
};

/** The list that a text is, the column of its numbers (the likeliest one, until another one is chosen), and how they are read. */
export function useNumberList(text: string) {
  const [read, setRead] = useState(NO_LIST);
  useEffect(() => {
    let isCurrent = true;
    // The reader of tables is loaded when there is something to read.
    if (text.trim() === "") setRead(NO_LIST);
    else
      void import("./number-list").then(({ readList, numberColumn, readNumber }) => {
        if (!isCurrent) return;
        const list = readList(text);
        setRead({ list, column: numberColumn(list), readNumber });
      });
    return () => {
      isCurrent = false;
    };
  }, [text]);
  return { ...read, setColumn: (column: number) => setRead((current) => ({ ...current, column })) };
}
