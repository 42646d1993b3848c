import { notFound, redirect } from "next/navigation";
import type { ReactNode } from "react";
import { ConsoleShell } from "@/app/_shell/console-shell";
import { currentSession } from "@/server/auth/session";

export default async function OperatorLayout({ children }: { children: ReactNode }) {
  const session = await currentSession();
  if (!session) redirect("/sign-in");
  // Other users get a 404; the procedures behind these pages check for operators themselves.
  if (!session.isOperator) notFound();
  const { name, email, isOperator } = session;
  return <ConsoleShell viewer={{ name, email, isOperator }}>{children}</ConsoleShell>;
}
