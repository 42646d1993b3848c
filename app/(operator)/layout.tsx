import { notFound } from "next/navigation";
import type { ReactNode } from "react";
import { ConsoleShell } from "@/app/_shell/console-shell";
import { readViewCookies } from "@/app/_shell/view-cookies";
import { requireSession } from "@/server/auth/sessions/require-session";

export default async function OperatorLayout({ children }: { children: ReactNode }) {
  const session = await requireSession();
  // Other users get a 404; the procedures behind these pages check for operators themselves.
  if (!session.isOperator) notFound();
  const { name, email, isOperator, accountId, mayChange } = session;
  const view = await readViewCookies();
  return <ConsoleShell viewer={{ name, email, isOperator, accountId, mayChange, ...view }}>{children}</ConsoleShell>;
}
