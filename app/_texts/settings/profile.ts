import { defineTexts } from "../define-texts";

const en = {
  title: "Profile",
  description: "Your name, and the name and country of this account.",
  person: {
    title: "You",
    name: "Your name",
    notSaved: "Your name was not saved",
    email: "Email",
    emailHint: "You sign in with it.",
    submit: "Save your name",
    saved: "Your name is saved",
  },
  account: {
    title: "Account",
    copyId: "Copy the account ID",
    notSaved: "The account was not saved",
    name: "Account name",
    company: "Company",
    country: "Country",
    noCountry: "Not given",
    countryAndCode: (country: string, code: string) => `${country} (${code})`,
    submit: "Save account",
    saved: "The account is saved",
    ownersOnly: "Only an owner can change this.",
  },
};

/** The texts of the page of the person and the account. */
export const profileTexts = defineTexts({ en });
