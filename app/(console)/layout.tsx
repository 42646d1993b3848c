import { redirect } from "next/navigation";
import type { ReactNode } from "react";
import { ConsoleShell } from "@/app/_shell/console-shell";
import { currentSession } from "@/server/auth/session";

export default async function ConsoleLayout({ children }: { children: ReactNode }) {
  const session = await currentSession();
  if (!session) redirect("/sign-in");
  const { name, email, isOperator } = session;
  return <ConsoleShell viewer={{ name, email, isOperator }}>{children}</ConsoleShell>;
}
