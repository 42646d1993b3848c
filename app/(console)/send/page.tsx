import type { Metadata } from "next";
import { connection } from "next/server";
import { env } from "@/server/core/env";
import { SendView } from "./_components/send-view";

export const metadata: Metadata = { title: "Send a message" };

export default async function SendPage() {
  // The settings are those of the running process, not of the build.
  await connection();
  return <SendView sandbox={env().SANDBOX} />;
}
