const SCHEME = "data-mantine-color-scheme";

/** Prints dark pages in light colors, which suit paper. @returns a function that ends this. */
export function printLight(): () => void {
  const page = document.documentElement;
  let shown: string | null = null;
  const lighten = () => {
    shown ??= page.getAttribute(SCHEME);
    page.setAttribute(SCHEME, "light");
  };
  const restore = () => {
    if (shown !== null) page.setAttribute(SCHEME, shown);
    shown = null;
  };
  window.addEventListener("beforeprint", lighten);
  window.addEventListener("afterprint", restore);
  return () => {
    window.removeEventListener("beforeprint", lighten);
    window.removeEventListener("afterprint", restore);
  };
}
