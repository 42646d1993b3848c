import { getCountries } from "libphonenumber-js";
import type { Metadata } from "next";
import { AccountsView } from "./accounts-view";

export const metadata: Metadata = { title: "Accounts" };

// The list of countries is passed on, so that the numbering plans behind it stay out of the browser.
export default function AccountsPage() {
  return <AccountsView countries={getCountries()} />;
}
