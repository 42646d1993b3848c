import { currentLanguage, type Language, perLocale } from "./language";

/**
 * The texts of one part of the pages. Each is a string, or a function of what it mentions; `en` has them all.
 * A text is looked up when it is read, so pages must read texts while they are rendered, never when a module is loaded.
 */
export function defineTexts<Texts extends object>(byLanguage: { en: Texts } & Partial<Record<Language, Texts>>): Texts {
  return new Proxy(byLanguage.en, {
    get: (_, name) => Reflect.get(byLanguage[currentLanguage()] ?? byLanguage.en, name),
  });
}

const rules = perLocale((locale) => new Intl.PluralRules(locale));

/** The form of a text that fits a number, by the plural rules of the language: English has `one` and `other`. */
export function plural(count: number, forms: { other: string } & Partial<Record<Intl.LDMLPluralRule, string>>): string {
  return forms[rules().select(count)] ?? forms.other;
}
