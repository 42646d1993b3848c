import { formsTexts } from "@/app/_texts/ui/forms";

/** The value of a field for a number: text while it is being typed, such as "10.50" or "-"; "" when it is empty. */
export type EnteredNumber = number | string;

/** Whether the entry is a complete number. */
export const isNumber = (entered: EnteredNumber): boolean => entered !== "" && !Number.isNaN(Number(entered));

/** The number; null: none was entered. */
export const numberOrNull = (entered: EnteredNumber): number | null => (entered === "" ? null : Number(entered));

/** The problem of an optional number that must not be below zero, such as a limit; null: none. */
export function optionalNumberProblem(entered: EnteredNumber): string | null {
  if (entered === "") return null;
  if (!isNumber(entered)) return formsTexts.enterNumber;
  return Number(entered) < 0 ? formsTexts.notNegative : null;
}
