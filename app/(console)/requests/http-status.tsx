import { StatusBadge, type Tone } from "@/app/_ui/values/status-badge";

const toneOf = (status: number): Tone => (status >= 500 ? "danger" : status >= 400 ? "warning" : "success");

/** The HTTP status of a response. */
export function HttpStatus({ status }: { status: number }) {
  return <StatusBadge tone={toneOf(status)}>{String(status)}</StatusBadge>;
}
