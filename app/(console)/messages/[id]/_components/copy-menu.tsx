"use client";

import { Menu } from "@mantine/core";
import type { ReactNode } from "react";
import { copyMenuTexts as texts } from "@/app/_texts/messages/copy-menu";
import { LoadedMenu } from "@/app/_ui/frame/loaded-menu";
import { IconBraces, IconTerminal2 } from "@/app/_ui/icons/icons";
import { toastDone } from "@/app/_ui/toast";
import { copy } from "@/app/_ui/values/copy";
import type { MessageDetail } from "@/server/messages/schema";
import { curlOf } from "./curl";

async function copyAs(text: string, done: string): Promise<void> {
  if (await copy(text)) toastDone(done);
}

/** Copies a message in other forms. `children`: the button. */
export function CopyMenu({ detail, children }: { detail: MessageDetail; children: ReactNode }) {
  return (
    <LoadedMenu button={children} keepMounted={false}>
      {detail.message.body !== "" && (
        <Menu.Item
          leftSection={<IconTerminal2 size={16} aria-hidden />}
          onClick={() => void copyAs(curlOf(window.location.origin, detail), texts.copiedAsCurl)}
        >
          {texts.asCurl}
        </Menu.Item>
      )}
      <Menu.Item
        leftSection={<IconBraces size={16} aria-hidden />}
        onClick={() => void copyAs(JSON.stringify(detail.message, null, 2), texts.copiedAsJson)}
      >
        {texts.asJson}
      </Menu.Item>
    </LoadedMenu>
  );
}
