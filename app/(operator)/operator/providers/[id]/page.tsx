import type { Metadata } from "next";
import { providersTexts as texts } from "@/app/_texts/operator/providers";
import { PROVIDER_NAMES } from "@/app/_ui/values/provider-name";
import { PROVIDERS } from "@/server/providers/schema";
import { NoSuchProvider } from "./no-such-provider";
import { ProviderView } from "./provider-view";

type Props = { params: Promise<{ id: string }> };

const providerOf = async ({ params }: Props) => {
  const { id } = await params;
  return PROVIDERS.find((known) => known === id);
};

export async function generateMetadata(props: Props): Promise<Metadata> {
  const id = await providerOf(props);
  return { title: id ? PROVIDER_NAMES[id] : texts.title };
}

export default async function ProviderPage(props: Props) {
  const id = await providerOf(props);
  return id ? <ProviderView id={id} /> : <NoSuchProvider />;
}
