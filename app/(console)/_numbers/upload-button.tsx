"use client";

import { Button, FileButton } from "@mantine/core";
import { useRef } from "react";
import { numbersTexts as texts } from "@/app/_texts/numbers";
import { IconUpload } from "@/app/_ui/icons/icons";
import { toastProblem } from "@/app/_ui/toast";

const MB = 1_000_000;

/** Reads a CSV or text file of at most `maxMb` megabytes. */
export function UploadButton({
  maxMb,
  onRead,
}: {
  maxMb: number;
  onRead: (file: { name: string; text: string }) => void;
}) {
  const forget = useRef<() => void>(null);
  async function read(file: File | null) {
    // Otherwise browsers fire no event when the same file is chosen again, for example after a correction.
    forget.current?.();
    if (!file) return;
    if (file.size > maxMb * MB) return toastProblem(texts.upload.tooLarge, texts.upload.atMost(maxMb));
    onRead({ name: file.name, text: await file.text() });
  }
  return (
    <FileButton resetRef={forget} onChange={(file) => void read(file)} accept=".csv,.txt,.tsv,text/csv,text/plain">
      {(props) => (
        <Button {...props} variant="default" size="xs" leftSection={<IconUpload size={16} aria-hidden />}>
          {texts.upload.submit}
        </Button>
      )}
    </FileButton>
  );
}
