"use client";

import { Alert, Center, Loader, useComputedColorScheme } from "@mantine/core";
import { useEffect, useRef, useState } from "react";
import { docsTexts as texts } from "@/app/_texts/docs";

const DOCUMENT_URL = "/api/v1/openapi.json";
const SCRIPT_URL = "/docs/reference.js";

type Configuration = Record<string, unknown>;
type Instance = { destroy: () => void };
type Scalar = { createApiReference: (element: Element, configuration: Configuration) => Instance };

const scalarOf = (): Scalar | undefined => (window as { Scalar?: Scalar }).Scalar;

/** Loads Scalar, the library that renders the reference, once. */
function loadScalar(): Promise<Scalar> {
  return new Promise((resolve, reject) => {
    const known = scalarOf();
    if (known) return resolve(known);
    const script = document.createElement("script");
    script.src = SCRIPT_URL;
    script.onload = () => {
      const loaded = scalarOf();
      if (loaded) resolve(loaded);
      else reject(new Error("The reference library did not start."));
    };
    script.onerror = () => reject(new Error("The reference library could not be loaded."));
    document.head.append(script);
  });
}

/** Disables everything that makes requests to other origins: fonts, proxy, telemetry, Scalar's own services. */
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
  // The document has its own samples, which tests run.
  hiddenClients: true,
  orderSchemaPropertiesBy: "preserve",
  orderRequiredPropertiesFirst: false,
  // With all tags open the page has 23,500 elements, which took three times as long to render.
  defaultOpenAllTags: false,
  metaData: { title: texts.referenceTitle },
  generateOperationSlug: ({ operationId, method, path }: { operationId?: string; method: string; path: string }) =>
    operationId ?? `${method}${path}`,
});

/** The API reference, rendered by Scalar from this service's OpenAPI document. */
export function Reference() {
  const scheme = useComputedColorScheme("light", { getInitialValueInEffect: false });
  const container = useRef<HTMLDivElement>(null);
  const initialScheme = useRef(scheme);
  const [state, setState] = useState<"loading" | "ready" | "failed">("loading");

  useEffect(() => {
    let isUnmounted = false;
    let instance: Instance | null = null;
    loadScalar()
      .then((scalar) => {
        if (isUnmounted || !container.current) return;
        instance = scalar.createApiReference(container.current, configurationOf(initialScheme.current));
        setState("ready");
      })
      .catch(() => setState("failed"));
    return () => {
      isUnmounted = true;
      instance?.destroy();
    };
  }, []);

  // Scalar reads the forced scheme only once; afterwards these classes select its colors.
  useEffect(() => {
    initialScheme.current = scheme;
    document.body.classList.toggle("dark-mode", scheme === "dark");
    document.body.classList.toggle("light-mode", scheme === "light");
  }, [scheme]);

  return (
    <>
      {state === "loading" && (
        <Center py={120}>
          <Loader aria-label={texts.loadingReference} />
        </Center>
      )}
      {state === "failed" && (
        <Alert color="red" m="xl" title={texts.notLoaded.title}>
          {texts.notLoaded.hint(<a href={DOCUMENT_URL}>{DOCUMENT_URL}</a>)}
        </Alert>
      )}
      <div ref={container} className="reference" />
    </>
  );
}
