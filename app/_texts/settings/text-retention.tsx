import type { ReactNode } from "react";
import { defineTexts } from "../define-texts";

const en = {
  title: "Text retention",
  explanation: (link: (words: string) => ReactNode) => (
    <>
      The text of a message is deleted this many days after the message has ended. Everything else about it stays. A
      deleted text cannot be brought back. {link("How it works")}
    </>
  ),
  days: "Days to keep texts",
  hint: "Leave empty to keep them as long as the operator does.",
  wholeDays: (most: string) => `Enter whole days, 1 to ${most}`,
  submit: "Save retention",
  saved: "The time for which texts are kept is saved",
  notSaved: "The time for which texts are kept was not saved",
};

/** The texts of the card that says for how long texts of messages are kept. */
export const textRetentionTexts = defineTexts({ en });
