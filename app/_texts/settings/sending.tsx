import type { ReactNode } from "react";
import { defineTexts } from "../define-texts";

const en = {
  title: "Sending",
  description: "Where and when this account sends messages, for how much a day, and how long it keeps their texts.",
  quietHours: {
    title: "Quiet hours",
    explanation: (link: (words: string) => ReactNode) => (
      <>
        Messages accepted in these hours wait for their end, by the clock of each recipient. Urgent ones, such as
        one-time codes, can be sent anyway. {link("How it works")}
      </>
    ),
    notSaved: "Quiet hours were not saved",
    keep: "Keep quiet hours",
    from: "From",
    until: "Until",
    enterTime: "Enter a time",
    sameAsStart: "Must differ from the start",
    submit: "Save quiet hours",
    saved: "Quiet hours are saved",
    off: "Quiet hours are off",
    developersOnly: "Only a developer or an owner can change this.",
  },
};

/** The texts of the page of how the account sends. */
export const sendingTexts = defineTexts({ en });
