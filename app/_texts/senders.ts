import type { Sender } from "@/server/senders/schema";
import { defineTexts, plural } from "./define-texts";

const en = {
  title: "Senders",
  description: "The names and numbers that recipients see. Each can be used once it is approved.",
  register: "Register sender",
  anyStatus: "Any status",
  senderId: "Sender ID",
  type: "Type",
  country: "Country",
  anyCountry: "Any",
  approved: "Approved",
  registered: "Registered",
  none: { title: "No senders yet", text: "Register the name or number that your messages come from." },
  noMatch: { title: "No senders with this status", showAll: "Show all senders" },
  registration: {
    title: "Register a sender",
    form: "New sender",
    notRegistered: "The sender was not registered",
    senderIdHint:
      "Up to 11 characters: letters (A to Z), digits, spaces and . _ - &, at least one letter; or a number of 3 to 15 digits",
    senderIdExample: "ACME",
    senderIdMissing: "Enter the sender ID",
    notAllowed: (characters: readonly string[]) =>
      plural(characters.length, {
        one: `This character is not allowed: ${characters.join(" ")}`,
        other: `These characters are not allowed: ${characters.join(" ")}`,
      }),
    nameTooLong: "A name has at most 11 characters",
    wrongDigits: "A number has 3 to 15 digits",
    noLetter: "Enter a name with at least one letter, or a number",
    typeHint: "Leave empty to derive it from the sender ID",
    automaticType: "Automatic",
    countryHint: "Two-letter code, if the sender is for one country only",
    noSuchCountry: "Enter a two-letter country code, such as DE",
    submit: "Register",
    done: (sender: string) => `Sender “${sender}” registered`,
  },
  dlt: {
    ids: "DLT IDs",
    idsOf: (sender: string) => `DLT IDs of ${sender}`,
    addIds: "Add DLT IDs",
    notSaved: "The IDs were not saved",
    entityId: "DLT entity ID",
    entityIdHint: "Principal entity ID of your registration in India",
    templateId: "DLT template ID",
    templateIdHint: "Template that the texts of this sender follow",
    category: "DLT template category",
    categories: {
      transactional: "Transactional",
      promotional: "Promotional",
      service_implicit: "Service implicit",
      service_explicit: "Service explicit",
    } satisfies Record<NonNullable<Sender["dlt_template_category"]>, string>,
    saved: (sender: string) => `DLT IDs of “${sender}” saved`,
  },
};

/** The texts of the page of senders and its dialogs. */
export const sendersTexts = defineTexts({ en });
