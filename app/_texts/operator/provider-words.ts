import type { OperatedProvider } from "@/server/providers/operator-schema";
import { defineTexts } from "../define-texts";

const en = {
  states: {
    not_configured: "Not configured",
    working: "Working",
    drained: "Drained",
    open: "Circuit open",
    probing: "Half-open",
    misconfigured: "Misconfigured",
  } satisfies Record<OperatedProvider["state"], string>,
  milliseconds: (shown: string) => `${shown} ms`,
};

/** The words that all pages about providers have in common. */
export const providerWordsTexts = defineTexts({ en });
