export { toCsv } from "@/server/exports/csv";

const TYPE = "text/csv;charset=utf-8";

/** Downloads `text` as a file. */
export const downloadText = (fileName: string, text: string, type = TYPE): void =>
  downloadBlob(fileName, new Blob([text], { type }));

/** Downloads `blob` as a file. */
export function downloadBlob(fileName: string, blob: Blob): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = url;
  link.download = fileName;
  link.click();
  URL.revokeObjectURL(url);
}
