import type { MantineColor } from "@mantine/core";
import type { ReactNode } from "react";

export type Tone = "neutral" | "info" | "success" | "warning" | "danger";

/** One color per tone, for badges and charts alike. */
export const TONE_COLORS: Record<Tone, MantineColor> = {
  neutral: "gray.5",
  info: "blue.5",
  success: "teal.6",
  warning: "yellow.6",
  danger: "red.6",
};

/** A state in one word. The word carries the meaning; the color only repeats it. */
export function StatusBadge({ tone, children }: { tone: Tone; children: ReactNode }) {
  return <span className={`pill pill-${tone}`}>{children}</span>;
}
