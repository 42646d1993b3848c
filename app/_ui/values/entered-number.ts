import { formsTexts } from "@/app/_texts/ui/forms";

/** The value of a field for a number: text while it is being typed, such as "10.50" or "-"; "" when it is empty. */
export type EnteredNumber = number | string;

/** Whether it is a number, and not only the beginning of one. */
export const isNumber = (entered: EnteredNumber): boolean => entered !== "" && !Number.isNaN(Number(entered));

/** The number; null: none was entered. */
export const numberOrNull = (entered: EnteredNumber): number | null => (entered === "" ? null : Number(entered));

/** The problem of a limit or another number that may be left out, and is not below zero; null: none. */
export function optionalNumberProblem(entered: EnteredNumber): string | null {
  if (entered === "") return null;
  if (!isNumber(entered)) return formsTexts.enterNumber;
  return Number(entered) < 0 ? formsTexts.notNegative : null;
}
