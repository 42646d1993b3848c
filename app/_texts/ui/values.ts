import { defineTexts } from "../define-texts";

const en = {
  copy: "Copy",
  copied: "Copied",
  justNow: "just now",
  inAMoment: "in a moment",
};

/** The words of values: times, and what can be copied. */
export const valuesTexts = defineTexts({ en });
