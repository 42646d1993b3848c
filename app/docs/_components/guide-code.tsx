"use client";

import { useSyncExternalStore } from "react";
import { docsTexts as texts } from "@/app/_texts/docs";
import { CodeBlock } from "@/app/_ui/values/code-block";

/** The address used in the guides. */
const WRITTEN_ADDRESS = "http://localhost:3000";

const subscribe = () => () => undefined;

/** Code of a guide, with the address of this installation. Guides are rendered at build time, before the address is known. */
export function GuideCode({ value }: { value: string }) {
  const address = useSyncExternalStore(
    subscribe,
    () => window.location.origin,
    () => WRITTEN_ADDRESS,
  );
  return <CodeBlock value={value.replaceAll(WRITTEN_ADDRESS, address)} copyLabel={texts.copyCode} />;
}
