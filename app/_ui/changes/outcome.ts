import { formsTexts } from "@/app/_texts/ui/forms";
import { apiErrorOf, isUnreadable } from "../forms/api-error";
import { storedUrl } from "../values/stored-url";

const UNDECIDED = "undecided";

/** A change failed with an unknown outcome, and a look at the stored data has not found it. */
class NotStored extends Error {
  constructor(readonly failure: unknown) {
    super();
  }
}

/** For the look of `carriedOut`, where the stored data do not show whether the change was made. */
export function cannotTell(): never {
  throw new Error(undefined, { cause: UNDECIDED });
}

const isUndecided = (error: unknown): boolean => error instanceof Error && error.cause === UNDECIDED;

/**
 * Whether nobody knows if a change was carried out: its response was lost, or it failed on the way. A refusal is certain, and so
 * is the failure of a service that was too busy, or had no database, to begin.
 */
export const isUnknown = (error: unknown): boolean => mayPass(error) && !apiErrorOf(error).isNothingDone;

/** Whether the same may succeed a moment later: no response, or a failure of the service. */
function mayPass(error: unknown): boolean {
  const { status } = apiErrorOf(error);
  return status === null || status >= 500;
}

/** Explains to people what is known of an unknown outcome; the API's messages about it are for programs. */
export function knownOf(error: unknown): string {
  const texts = formsTexts.unknown;
  if (error instanceof NotStored)
    return apiErrorOf(error.failure).status === null ? texts.notStored : texts.failedNotStored;
  const { status, reason } = apiErrorOf(error);
  if (status !== null) return reason === "outcome_unknown" ? texts.unconfirmed : texts.failed;
  return isUnreadable(error) ? texts.unavailable : texts.unreachable;
}

const LOOKS = 3;
const LOOK_AGAIN_MS = 1_000;
const pause = () => new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));

/** @returns what was found, in an array; null if nobody could be asked. */
async function lookPatiently<Found>(look: () => Promise<Found>): Promise<[Found] | null> {
  for (let left = LOOKS; left > 0; left -= 1) {
    try {
      return [await look()];
    } catch (error) {
      if (!mayPass(error) || isUndecided(error)) return null;
    }
    if (left > 1) await pause();
  }
  return null;
}

/**
 * Carries out a change. When its outcome is unknown, `look` checks the stored data.
 * @param look resolves to the result if the change is stored, else to undefined; see also `cannotTell`.
 * @throws what the change threw, unless the change is stored.
 */
export async function carriedOut<Output>(
  change: () => Promise<Output>,
  look: () => Promise<Output | undefined>,
): Promise<Output> {
  try {
    return await change();
  } catch (error) {
    const seen = isUnknown(error) ? await lookPatiently(look) : null;
    if (!seen) throw error;
    const [found] = seen;
    if (found !== undefined) return found;
    throw new NotStored(error);
  }
}

/**
 * A change whose first try may have been carried out without a response. The refusal of a later try may then come from that one.
 * @param resultOf returns the result that such a refusal stands for; undefined if it means something else.
 */
export function triedAgain<Input, Output>(
  change: (input: Input) => Promise<Output>,
  resultOf: (refusal: unknown) => Output | undefined,
): (input: Input) => Promise<Output> {
  let isUnsure = false;
  return async (input) => {
    try {
      return await change(input);
    } catch (error) {
      const result = isUnsure ? resultOf(error) : undefined;
      isUnsure ||= isUnknown(error);
      if (result !== undefined) return result;
      throw error;
    }
  };
}

function textOf(value: unknown): unknown {
  if (typeof value !== "string") return value ?? null;
  const text = value.trim();
  return /^https?:/i.test(text) ? storedUrl(text) : text;
}

function isSame(stored: unknown, asked: unknown): boolean {
  if (typeof asked !== "object" || asked === null) return textOf(stored) === textOf(asked);
  if (typeof stored !== "object" || stored === null || Array.isArray(stored) !== Array.isArray(asked)) return false;
  if (Array.isArray(asked) && asked.length !== Object.keys(stored).length) return false;
  return holds(stored, asked);
}

const holds = (stored: object, asked: object): boolean =>
  Object.entries(asked).every(
    ([name, value]) => value === undefined || isSame((stored as Record<string, unknown>)[name], value),
  );

/** The stored row, if its fields have the requested values. */
export const ifHolds = <Row extends object>(row: Row | undefined, asked: object): Row | undefined =>
  row && holds(row, asked) ? row : undefined;

/** Whether a stored row has the requested values; false before anything was requested. */
export const isHeld = (row: object, asked: object | undefined): boolean => asked !== undefined && holds(row, asked);

/** The result of a deletion, if its object no longer exists. */
export async function ifGone<Result>(read: () => Promise<unknown>, result: Result): Promise<Result | undefined> {
  try {
    await read();
    return undefined;
  } catch (error) {
    if (apiErrorOf(error).status === 404) return result;
    throw error;
  }
}
