import type { ReactNode } from "react";
import { defineTexts } from "./define-texts";

const en = {
  title: "Your balance is empty",
  consequence: "Messages are paid for from the balance of your account, so none can be sent yet.",
  addCredit: (link: (words: string) => ReactNode) => <>As an operator you can add credit under {link("Accounts")}.</>,
  askOperator: "Ask the operator of this installation for credit, and give them the ID of your account:",
  copyId: "Copy account ID",
  meanwhile:
    "Meanwhile, try everything in test mode: it has a sender and a balance of its own, and nothing is sent or billed.",
  switchToTestMode: "Switch to test mode",
};

/** The texts of the notice about an empty balance. */
export const creditTexts = defineTexts({ en });
