/**
 * Entries of forms that were not sent, kept in the session storage of this tab: a draft survives links, going back and a reload,
 * and ends with the tab. Forms with secrets keep nothing.
 */

/** The part of a browser's storage that drafts need. */
export type DraftStorage = Pick<Storage, "getItem" | "setItem" | "removeItem">;

const PLACES = "messaging.draft.";
/** The service remembers Idempotency-Keys for 24 hours, and some drafts have one; an hour is left for clocks that differ. */
const KEPT_FOR_MS = 23 * 3_600_000;

let isOver = false;

/** The storage key of a form's draft. @param owner of the page: a draft is shown to nobody else, and in no other account. */
export const placeOf = (owner: string, form: string): string => `${PLACES}${form} ${owner}`;

/** The stored draft; null: none, or one that is too old. */
export function readDraft(storage: DraftStorage, place: string, nowMs: number): unknown {
  try {
    const { at, draft } = JSON.parse(storage.getItem(place) ?? "{}");
    return typeof at === "number" && nowMs - at < KEPT_FOR_MS ? (draft ?? null) : null;
  } catch {
    return null;
  }
}

/** Keeps a draft if the browser has room for it. @param draft null removes it. */
export function keepDraft(storage: DraftStorage, place: string, draft: unknown, nowMs: number): void {
  if (isOver) return;
  try {
    if (draft === null) storage.removeItem(place);
    else storage.setItem(place, JSON.stringify({ at: nowMs, draft }));
  } catch {
    // Otherwise an older draft would be restored instead.
    storage.removeItem(place);
  }
}

/** Drops all drafts when the person signs out; forms that are still open keep nothing more. */
export function forgetDrafts(storage: Storage): void {
  isOver = true;
  for (const place of Object.keys(storage)) if (place.startsWith(PLACES)) storage.removeItem(place);
}
