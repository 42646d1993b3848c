"use client";

import { TextInput } from "@mantine/core";
import { useState } from "react";
import { listsTexts as texts } from "@/app/_texts/ui/lists";
import { IconSearch } from "@/app/_ui/icons/icons";
import { PER_PAGE, pageOf, searched } from "./long-list";
import { NoMatch } from "./no-match";
import { PagedTable } from "./paged-table";

type TableOf<Row> = Omit<Parameters<typeof PagedTable<Row>>[0], "pagination" | "onPage" | "busy">;

/** A table of a list of which the page has all rows. A long one has pages, and a search in the text that `textOf` gives for each row. */
export function LongTable<Row>({ rows, textOf, ...table }: TableOf<Row> & { textOf: (row: Row) => string }) {
  const [search, setSearch] = useState("");
  const [page, setPage] = useState(1);
  if (rows.length <= PER_PAGE && search === "") return <PagedTable rows={rows} {...table} />;
  const find = (text: string) => {
    setSearch(text);
    setPage(1);
  };
  const { shown, pagination } = pageOf(searched(rows, textOf, search), page);
  return (
    <>
      <div className="card-bar">
        <TextInput
          type="search"
          aria-label={texts.searchIn(table.label ?? "")}
          placeholder={texts.search}
          leftSection={<IconSearch size={16} aria-hidden />}
          maw={380}
          maxLength={100}
          value={search}
          onChange={({ currentTarget }) => find(currentTarget.value)}
        />
      </div>
      <PagedTable
        {...table}
        rows={shown}
        pagination={pagination}
        onPage={setPage}
        empty={<NoMatch title={texts.nothingFound(search)} showAll={texts.showAll} onClear={() => find("")} />}
      />
    </>
  );
}
