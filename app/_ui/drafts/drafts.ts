/**
 * Entries of forms that were not sent, kept in the storage of this tab: a draft outlives a link, the way back and a reload, and goes
 * with the tab. Forms with secrets keep nothing.
 */

/** The part of a browser's storage that drafts need. */
export type DraftStorage = Pick<Storage, "getItem" | "setItem" | "removeItem">;

const PLACES = "messaging.draft.";
/** The service remembers Idempotency-Keys for 24 hours, and some drafts have one; an hour is left for clocks that differ. */
const KEPT_FOR_MS = 23 * 3_600_000;

let isOver = false;

/** Where the draft of a form stands. @param owner whom the page is for: a draft is shown to nobody else, and in no other account. */
export const placeOf = (owner: string, form: string): string => `${PLACES}${form} ${owner}`;

/** The draft; null: none, or one that is too old. */
export function readDraft(storage: DraftStorage, place: string, nowMs: number): unknown {
  try {
    const { at, draft } = JSON.parse(storage.getItem(place) ?? "{}");
    return typeof at === "number" && nowMs - at < KEPT_FOR_MS ? (draft ?? null) : null;
  } catch {
    return null;
  }
}

/** Keeps a draft, as far as the browser has room for it. @param draft null: there is none any more. */
export function keepDraft(storage: DraftStorage, place: string, draft: unknown, nowMs: number): void {
  if (isOver) return;
  try {
    if (draft === null) storage.removeItem(place);
    else storage.setItem(place, JSON.stringify({ at: nowMs, draft }));
  } catch {
    // An older one would come back in its stead.
    storage.removeItem(place);
  }
}

/** Forgets all drafts: the person signs out, and forms that are still open keep nothing more. */
export function forgetDrafts(storage: Storage): void {
  isOver = true;
  for (const place of Object.keys(storage)) if (place.startsWith(PLACES)) storage.removeItem(place);
}
