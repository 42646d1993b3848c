"use client";

import { Alert, Center, Loader, useComputedColorScheme } from "@mantine/core";
import { useEffect, useRef, useState } from "react";

const DOCUMENT_URL = "/api/v1/openapi.json";
const SCRIPT_URL = "/docs/reference.js";

type Configuration = Record<string, unknown>;
type Instance = { destroy: () => void; updateConfiguration: (configuration: Configuration) => void };
type Scalar = { createApiReference: (element: Element, configuration: Configuration) => Instance };

const scalarOf = (): Scalar | undefined => (window as { Scalar?: Scalar }).Scalar;

/** Loads the program that draws the reference, once. */
function loadScalar(): Promise<Scalar> {
  return new Promise((resolve, reject) => {
    const known = scalarOf();
    if (known) return resolve(known);
    const script = document.createElement("script");
    script.src = SCRIPT_URL;
    script.onload = () => {
      const loaded = scalarOf();
      if (loaded) resolve(loaded);
      else reject(new Error("The reference's program did not start."));
    };
    script.onerror = () => reject(new Error("The reference's program could not be loaded."));
    document.head.append(script);
  });
}

/** Everything that would reach for another origin is off: fonts, proxy, telemetry, its own services. */
const configurationOf = (scheme: "light" | "dark"): Configuration => ({
  url: DOCUMENT_URL,
  theme: "none",
  withDefaultFonts: false,
  telemetry: false,
  proxyUrl: "",
  hideClientButton: true,
  showDeveloperTools: "never",
  agent: { disabled: true },
  mcp: { disabled: true },
  forceDarkModeState: scheme,
  hideDarkModeToggle: true,
  documentDownloadType: "direct",
  defaultHttpClient: { targetKey: "shell", clientKey: "curl" },
  orderSchemaPropertiesBy: "preserve",
  orderRequiredPropertiesFirst: false,
  defaultOpenAllTags: true,
  metaData: { title: "API reference · Messaging Service" },
  generateOperationSlug: ({ operationId, method, path }: { operationId?: string; method: string; path: string }) =>
    operationId ?? `${method}${path}`,
});

/** The API reference, drawn by Scalar from the document that this service answers with. */
export function Reference() {
  const scheme = useComputedColorScheme("light", { getInitialValueInEffect: false });
  const place = useRef<HTMLDivElement>(null);
  const instance = useRef<Instance | null>(null);
  const initialScheme = useRef(scheme);
  const [state, setState] = useState<"loading" | "ready" | "failed">("loading");

  useEffect(() => {
    let left = false;
    loadScalar()
      .then((scalar) => {
        if (left || !place.current) return;
        instance.current = scalar.createApiReference(place.current, configurationOf(initialScheme.current));
        setState("ready");
      })
      .catch(() => setState("failed"));
    return () => {
      left = true;
      instance.current?.destroy();
      instance.current = null;
    };
  }, []);

  useEffect(() => {
    initialScheme.current = scheme;
    instance.current?.updateConfiguration(configurationOf(scheme));
  }, [scheme]);

  return (
    <>
      {state === "loading" && (
        <Center py={120}>
          <Loader aria-label="Loading the reference" />
        </Center>
      )}
      {state === "failed" && (
        <Alert color="red" m="xl" title="The reference could not be loaded">
          Reload the page. The document itself is at <a href={DOCUMENT_URL}>{DOCUMENT_URL}</a>.
        </Alert>
      )}
      <div ref={place} className="reference" />
    </>
  );
}
