import type { ReactNode } from "react";
import { defineTexts } from "../define-texts";

const en = {
  hint: (days: number) => `Date and time, at most ${days} days ahead.`,
  hintInZone: (zone: string, days: number) => `Date and time in ${zone}, at most ${days} days ahead.`,
  enterTime: "Enter a date and a time",
  noSuchTime: "This time does not exist: the clocks are put forward then",
  chooseFuture: "Choose a time in the future",
  chooseWithin: (days: number) => `Choose a time within ${days} days`,
  quietHours: {
    label: "Send in quiet hours too",
    hours: (from: string, to: string) =>
      `From ${from} to ${to} by the recipient’s clock, this account's messages wait.`,
    putOff: (time: ReactNode) => <>This one would be sent {time}.</>,
  },
};

/** The fields that say when a message is sent. */
export const sendTimeTexts = defineTexts({ en });
