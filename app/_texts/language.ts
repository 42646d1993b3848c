/** A language of the console, as in the `lang` attribute of its pages. The texts of another one go into each file of this folder. */
export type Language = "en";

/** The language of the page that is being drawn. The one place to ask a person's choice, once there are two. */
export const currentLanguage = (): Language => "en";

/** The locale by which numbers, prices and times are written. */
export const currentLocale = (): string => ({ en: "en-US" })[currentLanguage()];

/** Calls `make` once per locale and keeps the result: making a format costs a hundred times as much as using it. */
export function perLocale<Made>(make: (locale: string) => Made): () => Made {
  const known = new Map<string, Made>();
  return () => {
    const locale = currentLocale();
    const made = known.get(locale) ?? make(locale);
    known.set(locale, made);
    return made;
  };
}
