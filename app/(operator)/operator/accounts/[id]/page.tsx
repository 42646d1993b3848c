import { getCountries } from "libphonenumber-js";
import type { Metadata } from "next";
import { accountTexts as texts } from "@/app/_texts/operator/account";
import { AccountView } from "./account-view";

export const generateMetadata = (): Metadata => ({ title: texts.title });

export default async function AccountPage({ params }: { params: Promise<{ id: string }> }) {
  const { id } = await params;
  return <AccountView id={id} countries={getCountries()} />;
}
