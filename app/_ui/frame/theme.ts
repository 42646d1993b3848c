import { type CSSVariablesResolver, createTheme, type MantineColorsTuple } from "@mantine/core";
import { appTexts } from "@/app/_texts/app";
import { answeredEscapes } from "./answered-escapes";

const iris: MantineColorsTuple = [
  "#eef0ff",
  "#dcdffb",
  "#b7bdf2",
  "#909aea",
  "#7480e4",
  "#5f6ce0",
  "#4d5bd9",
  "#3f4cc0",
  "#3742ab",
  "#2b3595",
];

/** Cool grays that match the primary color. */
const dark: MantineColorsTuple = [
  "#dfe3ec",
  "#b9bfce",
  "#969eb2",
  "#6b7389",
  "#353c50",
  "#2a3042",
  "#1f2433",
  "#181c29",
  "#10131d",
  "#0a0c14",
];

const gray: MantineColorsTuple = [
  "#f7f8fb",
  "#f1f3f7",
  "#e6e9f0",
  "#dadfe8",
  "#c9cfdb",
  "#a3abbc",
  "#626b80",
  "#474f62",
  "#323949",
  "#1d2230",
];

const FONT = '"Inter Variable", -apple-system, BlinkMacSystemFont, "Segoe UI", Roboto, sans-serif';
const MONO = 'ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace';

/** The head of a dialog: as a `header`, it would be a second banner of the page. */
const NO_BANNER = { header: { role: "none" } };

/** The Mantine theme of the console. */
export const theme = createTheme({
  primaryColor: "iris",
  primaryShade: 6,
  colors: { iris, dark, gray },
  black: "#171b28",
  fontFamily: FONT,
  fontFamilyMonospace: MONO,
  headings: { fontFamily: FONT, fontWeight: "650" },
  defaultRadius: "md",
  cursorType: "pointer",
  focusRing: "auto",
  respectReducedMotion: true,
  // Plain values, because `extend` would load the components themselves on every page.
  components: {
    Alert: { defaultProps: { radius: "md" } },
    Badge: { defaultProps: { radius: "xl" } },
    Button: { defaultProps: { fw: 550 } },
    Drawer: { defaultProps: { attributes: NO_BANNER, __handledEscapeEvents: answeredEscapes } },
    Card: { defaultProps: { withBorder: true, padding: "lg", radius: "lg" } },
    // Its placeholder for the initial focus is not a menu item.
    Menu: { defaultProps: { withInitialFocusPlaceholder: false } },
    Modal: {
      // The key press that closes a question must not reach the dialog below it, which is the topmost one by then.
      defaultProps: {
        centered: true,
        radius: "lg",
        padding: "lg",
        attributes: NO_BANNER,
        __handledEscapeEvents: answeredEscapes,
      },
      styles: { title: { fontWeight: 650, fontSize: "var(--mantine-font-size-lg)", lineHeight: 1.35 } },
    },
    // The button has its own label, so that "Password" names only the field, and can be reached with Tab.
    PasswordInput: {
      defaultProps: () => ({ visibilityToggleButtonProps: { "aria-label": appTexts.showOrHideEntry, tabIndex: 0 } }),
    },
  },
});

/** White text on this red has a contrast of 4.5:1, unlike on Mantine's own shade. */
const DANGER = { "--mantine-color-red-filled": "#c92a2a", "--mantine-color-red-filled-hover": "#b02525" };

/** CSS variables per color scheme; `--page` is the background behind the cards, `--rule` a line inside one. */
export const surfaces: CSSVariablesResolver = () => ({
  // Mantine sets its colors per scheme, which would override values for both schemes.
  variables: {},
  light: {
    ...DANGER,
    "--page": "var(--mantine-color-gray-0)",
    "--rule": "var(--mantine-color-gray-3)",
    "--mantine-color-default-border": "var(--mantine-color-gray-3)",
    "--mantine-color-error": "var(--mantine-color-red-8)",
    "--mantine-color-placeholder": "#6b7488",
    "--mantine-color-iris-light": "var(--mantine-color-iris-0)",
    "--mantine-color-iris-light-hover": "var(--mantine-color-iris-1)",
    "--mantine-color-iris-light-color": "var(--mantine-color-iris-7)",
  },
  dark: {
    ...DANGER,
    "--page": "var(--mantine-color-dark-8)",
    "--rule": "var(--mantine-color-dark-4)",
    "--mantine-color-error": "var(--mantine-color-red-4)",
    "--mantine-color-placeholder": "#8f98ad",
    "--mantine-color-default-border": "#454d66",
    "--mantine-color-anchor": "var(--mantine-color-iris-2)",
    "--mantine-color-gray-light-color": "var(--mantine-color-dark-1)",
    "--mantine-color-red-light": "rgba(250, 82, 82, 0.13)",
    "--mantine-color-red-light-hover": "rgba(250, 82, 82, 0.2)",
    "--mantine-color-red-light-color": "var(--mantine-color-red-4)",
    "--mantine-color-yellow-light": "rgba(250, 176, 5, 0.1)",
    "--mantine-color-teal-light": "rgba(18, 184, 134, 0.13)",
    "--mantine-color-teal-light-color": "var(--mantine-color-teal-3)",
    "--mantine-color-iris-light": "rgba(116, 128, 228, 0.16)",
    "--mantine-color-iris-light-hover": "rgba(116, 128, 228, 0.24)",
    "--mantine-color-iris-light-color": "var(--mantine-color-iris-2)",
  },
});
