import { defineTexts } from "../define-texts";

const en = {
  copy: "Copy",
  copied: "Copied",
  notCopied: "Nothing was copied",
  onlyHttps: "Browsers allow copying on HTTPS pages only.",
  onlyHttpsButSelected: "Browsers allow copying on HTTPS pages only. The value is selected: copy it with the keyboard.",
  justNow: "just now",
  inAMoment: "in a moment",
};

/** The words of values: times, and what can be copied. */
export const valuesTexts = defineTexts({ en });
