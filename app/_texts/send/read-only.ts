import { defineTexts } from "../define-texts";

const en = {
  title: "Your role cannot send messages",
  explanation: "Viewers read everything and change nothing. Ask an owner of the account to make you a developer.",
  viewMessages: "View messages",
};

/** The texts of the pages that send, for people who only read. */
export const readOnlyTexts = defineTexts({ en });
