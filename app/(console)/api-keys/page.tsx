import type { Metadata } from "next";
import { Suspense } from "react";
import { ApiKeysView } from "./_components/api-keys-view";

export const metadata: Metadata = { title: "API keys" };

export default function ApiKeysPage() {
  return (
    <Suspense>
      <ApiKeysView />
    </Suspense>
  );
}
