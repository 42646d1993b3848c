import { expect, it } from "vitest";
import { forgetDrafts, keepDraft, placeOf, readDraft } from "./drafts";

const HOUR_MS = 3_600_000;

/** A browser's storage, which has its entries as properties. @param room characters that a value may have. */
const storageWith = (room = 1_000): Storage & Record<string, string> => {
  const entries = {
    getItem: (place: string) => storage[place] ?? null,
    setItem: (place: string, value: string) => {
      if (value.length > room) throw new Error("The quota has been exceeded.");
      storage[place] = value;
    },
    removeItem: (place: string) => {
      delete storage[place];
    },
  };
  const storage = Object.create(entries);
  return storage;
};

it("returns a draft to its owner for as long as its key is safe to repeat", () => {
  const storage = storageWith();
  const place = placeOf("ada, acc_1", "send");
  keepDraft(storage, place, { body: "Hello" }, 0);
  expect(readDraft(storage, place, 22 * HOUR_MS)).toEqual({ body: "Hello" });
  expect(readDraft(storage, place, 23 * HOUR_MS)).toBeNull();
  expect(readDraft(storage, placeOf("ada, acc_2", "send"), 0)).toBeNull();
  keepDraft(storage, place, null, 0);
  expect(readDraft(storage, place, 0)).toBeNull();
});

it("drops an older draft when there is no room for the newer one, and ignores unreadable data", () => {
  const storage = storageWith(100);
  keepDraft(storage, "place", { body: "Hello" }, 0);
  keepDraft(storage, "place", { body: "W".repeat(100) }, 0);
  expect(readDraft(storage, "place", 0)).toBeNull();
  for (const value of ["{", "null", "1", '{"at":"0","draft":1}']) {
    storage.setItem("place", value);
    expect(readDraft(storage, "place", 0)).toBeNull();
  }
});

it("keeps nothing once the person has signed out", () => {
  const storage = storageWith();
  keepDraft(storage, placeOf("ada", "send"), { body: "Hello" }, 0);
  storage.setItem("other", "stays");
  forgetDrafts(storage);
  keepDraft(storage, placeOf("ada", "send"), { body: "Hello" }, 0);
  expect(Object.keys(storage)).toEqual(["other"]);
});
