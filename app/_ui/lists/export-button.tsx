"use client";

import { Button } from "@mantine/core";
import { useState } from "react";
import { pageHeaders } from "@/app/_trpc/client";
import { IconDownload } from "@/app/_ui/icons/icons";
import type { ExportInput } from "@/server/exports/schema";
import { apiErrorOf } from "../forms/api-error";
import { toastDone, toastProblem } from "../toast";
import { downloadBlob } from "../values/csv";

const EXPORTS = "/api/exports";

const CUT_OFF = "The connection broke off before the last row. Nothing was saved: try again.";

/** The name that the service gives to a file. */
const nameOf = (response: Response): string =>
  /filename="([^"]+)"/.exec(response.headers.get("content-disposition") ?? "")?.[1] ?? "list.csv";

/** Fetches a list as a file. A file that is cut off is not handed over. @throws an error of the API's shape, or one of fetch. */
async function download(list: ExportInput): Promise<void> {
  const response = await fetch(EXPORTS, {
    method: "POST",
    headers: { "content-type": "application/json", ...pageHeaders() },
    body: JSON.stringify(list),
  });
  if (!response.ok) throw (await response.json()).error;
  downloadBlob(nameOf(response), await response.blob());
}

/** Downloads a list with its filters as a CSV file. */
export function ExportButton({ list }: { list: ExportInput }) {
  const [isBusy, setBusy] = useState(false);
  const save = async () => {
    setBusy(true);
    try {
      await download(list);
      toastDone("Download complete");
    } catch (error) {
      const { status, message } = apiErrorOf(error);
      toastProblem("The list was not downloaded", status === null ? CUT_OFF : message);
    }
    setBusy(false);
  };
  return (
    <Button variant="default" leftSection={<IconDownload size={16} aria-hidden />} loading={isBusy} onClick={save}>
      Download CSV
    </Button>
  );
}
