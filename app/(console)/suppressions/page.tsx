import type { Metadata } from "next";
import { Suspense } from "react";
import { SuppressionsView } from "./_components/suppressions-view";

export const metadata: Metadata = { title: "Suppressions" };

export default function SuppressionsPage() {
  return (
    <Suspense>
      <SuppressionsView />
    </Suspense>
  );
}
