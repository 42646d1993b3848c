import type { OperatedProvider } from "@/server/providers/operator-schema";
import { defineTexts } from "../define-texts";

const en = {
  title: "Providers",
  description: "Upstream services that messages are sent through. Figures cover the last 60 minutes.",
  shown: "Providers shown",
  filters: { all: "All", in_use: "Configured", in_trouble: "With problems" },
  provider: "Provider",
  state: "State",
  settingsFrom: "Settings from",
  sources: {
    environment: "Environment",
    operator: "Console",
  } satisfies Record<NonNullable<OperatedProvider["source"]>, string>,
  health: "Health",
  calls: "Calls",
  success: "Success",
  unknown: "Unknown",
  meanLatency: "Mean latency",
  noneInTrouble: "No provider has problems",
  noneConfigured: "No provider is configured",
  chooseOne: "Choose one under “All” and enter its credentials.",
};

/** The texts of the list of providers. */
export const providersTexts = defineTexts({ en });
