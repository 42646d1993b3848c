import { getCountries } from "libphonenumber-js";
import type { Metadata } from "next";
import { sendingTexts as texts } from "@/app/_texts/settings/sending";
import { SendingView } from "./_components/sending-view";

export const generateMetadata = (): Metadata => ({ title: texts.title });

export default function SendingPage() {
  return <SendingView countries={getCountries()} />;
}
