import { getCountries } from "libphonenumber-js";
import type { Metadata } from "next";
import { accountsTexts as texts } from "@/app/_texts/operator/accounts";
import { AccountsView } from "./accounts-view";

export const generateMetadata = (): Metadata => ({ title: texts.title });

// The list of countries is passed on, so that the numbering plans behind it stay out of the browser.
export default function AccountsPage() {
  return <AccountsView countries={getCountries()} />;
}
