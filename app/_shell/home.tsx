import { UnstyledButton } from "@mantine/core";
import { shellTexts as texts } from "@/app/_texts/shell/shell";
import { PageLink } from "@/app/_ui/frame/page-link";
import { Brand } from "../_ui/frame/brand";

/** The brand as a link to the overview. `onLeave` runs when it is chosen. */
export function Home({ onLeave }: { onLeave?: () => void }) {
  return (
    <UnstyledButton component={PageLink} href="/" onClick={onLeave} aria-label={texts.home}>
      <Brand />
    </UnstyledButton>
  );
}
