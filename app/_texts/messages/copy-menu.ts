import { defineTexts } from "../define-texts";

const en = {
  asCurl: "As curl",
  copiedAsCurl: "Copied as curl",
  asJson: "As JSON",
  copiedAsJson: "Copied as JSON",
};

/** The texts of the menu that copies a message. */
export const copyMenuTexts = defineTexts({ en });
