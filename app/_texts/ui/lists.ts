import { defineTexts, plural } from "../define-texts";

const en = {
  search: "Search",
  searchIn: (list: string) => `Search in ${list}`,
  nothingFound: (search: string) => `Nothing found for “${search}”`,
  showAll: "Show all",
  moreFilters: "More filters",
  fewerFilters: "Fewer filters",
  clearFilters: "Clear filters",
  unusable: {
    title: (count: number) =>
      plural(count, { one: "A filter in the address is not valid", other: "Filters in the address are not valid" }),
    notFiltered: (filters: string) => `The list is not filtered by ${filters}.`,
    remove: (count: number) => plural(count, { one: "Remove the filter", other: "Remove the filters" }),
  },
  apiKey: "API key",
  anyKey: "Any key",
  daysFrom: (what: string) => `${what} from`,
  daysTo: (what: string) => `${what} to`,
  beforeFirst: "Before the first date",
  numberOrPart: "Number or part",
  numberHints: {
    number: "Enter the complete number, with + and country code",
    part: "Enter at least three digits",
  },
  noSuchPage: {
    title: (page: string) => `There is no page ${page}`,
    pages: (count: number, written: string) =>
      plural(count, { one: "The list has one page.", other: `The list has ${written} pages.` }),
    backToFirst: "Back to the first page",
  },
  rowsOf: (first: string, last: string, total: string) => `${first}–${last} of ${total}`,
  pages: "Pages",
  page: (page: number) => `Page ${page}`,
  turns: { first: "First page", previous: "Previous page", next: "Next page", last: "Last page" },
  export: {
    submit: "Download CSV",
    done: "Download complete",
    failed: "The list was not downloaded",
    cutOff: "The connection was lost before the last row. Nothing was saved: try again.",
  },
};

/** The texts of lists: their filters, pages and downloads. */
export const listsTexts = defineTexts({ en });
