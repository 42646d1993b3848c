import type { ReactNode } from "react";
import { IfMayChange } from "@/app/_shell/may-change";
import { ReadOnlyNotice } from "./read-only-notice";

/** The pages that send, which a role that only reads does not open. */
export default function SendLayout({ children }: { children: ReactNode }) {
  return <IfMayChange otherwise={<ReadOnlyNotice />}>{children}</IfMayChange>;
}
