/** Space below the filters of a list, in pixels, and between their lines: enough for a hint. */
export const HINT_SPACE = 26;

/** Props of a filter whose `error` stands in that space, so that neither the other filters nor the list move. */
export const hintBelow = {
  errorProps: { pos: "absolute", top: "100%", mt: 4, className: "nowrap" },
  styles: { root: { position: "relative" }, wrapper: { marginBottom: 0 } },
} as const;

/** Props of a filter in the address. A browser that goes back to a list restores the filters of a later address otherwise. */
export const notRestored = { autoComplete: "off" } as const;
