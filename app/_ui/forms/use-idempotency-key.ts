import { useRef } from "react";

/** 32 hexadecimal digits. `randomUUID` exists in secure contexts only, and consoles are opened over plain HTTP as well. */
const newKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");

/**
 * The Idempotency-Key of a form: the same content keeps its key, so that a request whose response was lost can be repeated
 * without being carried out twice.
 * @returns takes the content of a request, and gives its key.
 */
export function useIdempotencyKey(): (content: unknown) => string {
  const last = useRef<{ content: string; key: string } | null>(null);
  return (value) => {
    const content = JSON.stringify(value);
    if (last.current?.content !== content) last.current = { content, key: newKey() };
    return last.current.key;
  };
}
