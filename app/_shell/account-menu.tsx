"use client";

import { Avatar, UnstyledButton, VisuallyHidden } from "@mantine/core";
import { Suspense, useState } from "react";
import { shellTexts as texts } from "@/app/_texts/shell/shell";
import { lazily } from "@/app/_ui/connection/connection";

const OpenAccountMenu = lazily(() => import("./open-account-menu").then((file) => ({ default: file.OpenAccountMenu })));

/** The words of a name whose first letters stand for it: signs between them, such as “&”, do not. */
const wordsOf = (name: string): string => name.match(/[\p{L}\p{M}\p{N}]+/gu)?.join(" ") ?? name;

/** The button of the account's menu, which is loaded when it is first opened. */
export function AccountMenu({ name, email }: { name: string; email: string }) {
  const [isWanted, setWanted] = useState(false);
  const button = (
    <UnstyledButton className="round-focus" aria-haspopup="menu" onClick={() => setWanted(true)}>
      <Avatar name={wordsOf(name)} color="iris" radius="xl" size={34} alt="" aria-hidden />
      <VisuallyHidden>{texts.account.menu}</VisuallyHidden>
    </UnstyledButton>
  );
  if (!isWanted) return button;
  return (
    <Suspense fallback={button}>
      <OpenAccountMenu name={name} email={email}>
        {button}
      </OpenAccountMenu>
    </Suspense>
  );
}
