"use client";

import { useState } from "react";
import { importSuppressionsTexts as texts } from "@/app/_texts/suppressions/import";
import { lazily } from "@/app/_ui/connection/connection";
import { FormModal } from "@/app/_ui/forms/form-modal";
import type { ImportStage } from "./use-import";

const ImportForm = lazily(() => import("./import-form").then((file) => ({ default: file.ImportForm })));

/** Imports a list of opted-out numbers. It stays open while the list is being sent. */
export function ImportDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const [stage, setStage] = useState<ImportStage>("choosing");
  const close = () => {
    setStage("choosing");
    onClose();
  };
  const isIdle = stage !== "running";
  return (
    <FormModal
      opened={opened}
      onClose={close}
      title={texts.title}
      size="lg"
      isDone={stage === "done"}
      closeOnEscape={isIdle}
      closeOnClickOutside={isIdle}
      withCloseButton={isIdle}
    >
      <ImportForm stage={stage} onStage={setStage} onClose={close} />
    </FormModal>
  );
}
