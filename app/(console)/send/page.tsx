import type { Metadata } from "next";
import { connection } from "next/server";
import { sendTexts as texts } from "@/app/_texts/send/one";
import { env } from "@/server/core/env";
import { SendView } from "./_components/send-view";

export const generateMetadata = (): Metadata => ({ title: texts.title });

export default async function SendPage() {
  // Read at request time: the build does not know the settings of the running process.
  await connection();
  return <SendView sandbox={env().SANDBOX} />;
}
