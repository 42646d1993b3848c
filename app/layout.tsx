import "@fontsource-variable/inter/index.css";
import "./_ui/frame/mantine-styles";
import "@mantine/notifications/styles.css";
import "./globals.css";
import { ColorSchemeScript, mantineHtmlProps } from "@mantine/core";
import type { Metadata, Viewport } from "next";
import type { ReactNode } from "react";
import { appTexts } from "./_texts/app";
import { currentLanguage } from "./_texts/language";
import { siteTexts } from "./_texts/site";
import { TrpcProvider } from "./_trpc/client";
import { UiProvider } from "./_ui/frame/ui-provider";

export const generateMetadata = (): Metadata => ({
  title: { default: appTexts.product, template: appTexts.pageTitle("%s") },
  description: siteTexts.description,
  robots: { index: false, follow: false },
});

export const viewport: Viewport = { width: "device-width", initialScale: 1, colorScheme: "light dark" };

export default function RootLayout({ children }: { children: ReactNode }) {
  return (
    <html lang={currentLanguage()} {...mantineHtmlProps}>
      <head>
        <ColorSchemeScript defaultColorScheme="auto" />
      </head>
      <body>
        <UiProvider>
          <TrpcProvider>{children}</TrpcProvider>
        </UiProvider>
      </body>
    </html>
  );
}
