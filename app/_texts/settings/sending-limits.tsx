import type { ReactNode } from "react";
import { defineTexts, plural } from "../define-texts";

const en = {
  ownersOnly: "Only an owner can change this.",
  countries: {
    title: "Countries",
    explanation: (link: (words: string) => ReactNode) => (
      <>
        Messages to other countries fail at once, free of charge; scheduled ones fail when they are due.{" "}
        {link("How it works")}
      </>
    ),
    operatorAllowsAll: "The operator allows all countries.",
    operatorAllows: (named: string, more: number) =>
      `The operator allows ${named}${more === 0 ? "" : ` and ${more} more`}. You can narrow this down, and ask the operator for more.`,
    rule: "This account sends to",
    rules: {
      all: "All countries that the operator allows",
      only: "Only these countries",
      except: "All countries but these",
    },
    allowed: "Countries to send to",
    excluded: "Countries not to send to",
    nameAndCode: (name: string, code: string) => `${name} (${code})`,
    chooseOne: "Choose at least one country",
    marked: (country: string) => `${country} is taken out`,
    markedHint: "Nothing has changed yet. Save to stop messages there.",
    submit: "Save countries",
    saved: "Countries are saved",
    notSaved: "The countries were not saved",
  },
  sent: {
    lastDays: (named: string, more: number) =>
      more === 0 ? `Messages in the last 8 days: ${named}.` : `Messages in the last 8 days: ${named} and ${more} more.`,
    usual: (country: string, messages: string) => `${country} ${messages}`,
    unusual: (country: string, messages: string) => `${country} ${messages} (unusual)`,
    unknownCountry: "Unknown country",
    chooseUsual: (countries: number, first: string) =>
      plural(countries, {
        one: `Choose only ${first}`,
        other: `Choose only the ${countries} usual ones`,
      }),
  },
  spending: {
    title: "Daily spending cap",
    explanation: "Requests that would cost more than this in a UTC day are refused, and nothing of them is sent.",
    operators: (money: string) => `The operator’s cap is ${money}. The lower of the two applies.`,
    noOperators: "The operator has set no cap.",
    cap: (currency: string) => `Daily spending cap in ${currency}`,
    hint: "Leave empty for none. 0 stops everything that costs money.",
    submit: "Save cap",
    saved: "The daily spending cap is saved",
    notSaved: "The daily spending cap was not saved",
  },
};

/** The texts of the limits that owners set: countries, and spending per day. */
export const sendingLimitsTexts = defineTexts({ en });
