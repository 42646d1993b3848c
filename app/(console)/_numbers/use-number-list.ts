"use client";

import { useEffect, useState } from "react";
import type { NumberList } from "./number-list";

const NO_LIST: NumberList = { columns: [], records: [], lines: [] };

/** The list that a text is, and the column of its numbers: the likeliest one, until another one is chosen. */
export function useNumberList(text: string) {
  const [read, setRead] = useState({ list: NO_LIST, column: 0 });
  useEffect(() => {
    let isCurrent = true;
    // The reader of tables is loaded when there is something to read.
    if (text.trim() === "") setRead({ list: NO_LIST, column: 0 });
    else
      void import("./number-list").then(({ readList, numberColumn }) => {
        if (!isCurrent) return;
        const list = readList(text);
        setRead({ list, column: numberColumn(list) });
      });
    return () => {
      isCurrent = false;
    };
  }, [text]);
  return { ...read, setColumn: (column: number) => setRead(({ list }) => ({ list, column })) };
}
