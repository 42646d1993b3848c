"use client";

import { Button } from "@mantine/core";
import { useState } from "react";
import { listsTexts as texts } from "@/app/_texts/ui/lists";
import { pageHeaders } from "@/app/_trpc/client";
import { IconDownload } from "@/app/_ui/icons/icons";
import type { ExportInput } from "@/server/exports/schema";
import { apiErrorOf } from "../forms/api-error";
import { toastDone, toastProblem } from "../toast";
import { downloadBlob } from "../values/csv";

const EXPORTS = "/api/exports";

/** The name that the service gives to a file. */
const nameOf = (response: Response): string =>
  /filename="([^"]+)"/.exec(response.headers.get("content-disposition") ?? "")?.[1] ?? "list.csv";

/** The connection was lost before the end of the file. */
class CutOff extends Error {}

/** Fetches a list as a file. An incomplete file is not saved. @throws an error of the API's shape, of fetch, or `CutOff`. */
async function download(list: ExportInput): Promise<void> {
  const response = await fetch(EXPORTS, {
    method: "POST",
    headers: { "content-type": "application/json", ...pageHeaders() },
    body: JSON.stringify(list),
  });
  if (!response.ok) throw (await response.json()).error;
  const file = await response.blob().catch((cause: unknown) => {
    throw new CutOff(undefined, { cause });
  });
  downloadBlob(nameOf(response), file);
}

/** Downloads a list with its filters as a CSV file. */
export function ExportButton({ list }: { list: ExportInput }) {
  const [isBusy, setBusy] = useState(false);
  const save = async () => {
    setBusy(true);
    try {
      await download(list);
      toastDone(texts.export.done);
    } catch (error) {
      toastProblem(texts.export.failed, error instanceof CutOff ? texts.export.cutOff : apiErrorOf(error).message);
    }
    setBusy(false);
  };
  return (
    <Button variant="default" leftSection={<IconDownload size={16} aria-hidden />} loading={isBusy} onClick={save}>
      {texts.export.submit}
    </Button>
  );
}
