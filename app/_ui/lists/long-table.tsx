"use client";

import { TextInput, type TextInputProps } from "@mantine/core";
import { useState } from "react";
import { listsTexts as texts } from "@/app/_texts/ui/lists";
import { IconSearch } from "@/app/_ui/icons/icons";
import { PER_PAGE, pageOf, searched } from "./long-list";
import { NoMatch } from "./no-match";
import { PagedTable } from "./paged-table";
import { useTypedFilter } from "./use-typed-filter";
import { useUrlState } from "./use-url-state";

type TableOf<Row> = Omit<Parameters<typeof PagedTable<Row>>[0], "pagination" | "onPage" | "busy"> & {
  /** The text of a row in which a search looks. */
  textOf: (row: Row) => string;
};

type Place = {
  /** Of the field, which contains what is searched for. */
  field: Pick<TextInputProps, "onChange" | "onBlur" | "autoComplete"> & { value: string };
  page: number;
  setPage: (page: number) => void;
  onClear: () => void;
};

const SEARCH_MAX = 100;

const trimmed = (text: string) => text.trim();

/** A table of a list of which the page has all rows. A long one has pages, and a search. */
export function LongTable<Row>(table: TableOf<Row>) {
  const [value, setValue] = useState("");
  const [page, setPage] = useState(1);
  const find = (text: string) => {
    setValue(text);
    setPage(1);
  };
  const field = {
    value,
    onChange: ({ currentTarget }: { currentTarget: HTMLInputElement }) => find(currentTarget.value),
  };
  return <SearchedTable {...table} place={{ field, page, setPage, onClear: () => find("") }} />;
}

/** The same for the list that its page is about. Its search and page are in the address, so that the way back keeps them. */
export function LongListTable<Row>(table: TableOf<Row>) {
  const { params, page, change, setPage } = useUrlState();
  const search = params.get("search")?.slice(0, SEARCH_MAX) ?? "";
  const { field } = useTypedFilter({
    value: search,
    onChange: (text) => change({ search: text }, "replace"),
    filterOf: trimmed,
  });
  // The rows follow each letter, the address when typing pauses: until then the page is that of the search before.
  const shownPage = trimmed(field.value) === search ? page : 1;
  const onClear = () => change({ search: undefined });
  return <SearchedTable {...table} place={{ field, page: shownPage, setPage, onClear }} />;
}

function SearchedTable<Row>({ rows, textOf, place, ...table }: TableOf<Row> & { place: Place }) {
  const { field, page, setPage, onClear } = place;
  if (rows.length <= PER_PAGE && field.value === "") return <PagedTable rows={rows} {...table} />;
  const { shown, pagination } = pageOf(searched(rows, textOf, field.value), page);
  return (
    <>
      <div className="card-bar">
        <TextInput
          type="search"
          aria-label={texts.searchIn(table.label ?? "")}
          placeholder={texts.search}
          leftSection={<IconSearch size={16} aria-hidden />}
          maw={380}
          maxLength={SEARCH_MAX}
          {...field}
        />
      </div>
      <PagedTable
        {...table}
        rows={shown}
        pagination={pagination}
        onPage={setPage}
        empty={<NoMatch title={texts.nothingFound(field.value)} showAll={texts.showAll} onClear={onClear} />}
      />
    </>
  );
}
