import { type RefObject, useRef } from "react";
import { once } from "@/app/_trpc/client";
import { type ChangeOptions, useSingle } from "../changes/use-single";

/** 32 hexadecimal digits. `randomUUID` exists in secure contexts only, but consoles are also served over plain HTTP. */
const newKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");

/** Keys by the content that each stands for. */
export type UsedKeys = Record<string, string>;

/**
 * The Idempotency-Keys of a form: the same content keeps its key, even after other content was tried, so that a request with a
 * lost response can be repeated without being carried out twice.
 * @param kept holds the keys if they must outlive the form.
 * @returns a function that returns the key for the content of a request.
 */
export function useIdempotencyKey(kept?: RefObject<UsedKeys | null>): (content: unknown) => string {
  const own = useRef<UsedKeys | null>(null);
  const used = kept ?? own;
  return (value) => {
    const content = JSON.stringify(value);
    const key = used.current?.[content] ?? newKey();
    used.current = { ...used.current, [content]: key };
    return key;
  };
}

/** After a lost response people try again soon; much later, the same input probably means a new request. */
const KEPT_MS = 10 * 60_000;

/** Keys by the input that each stands for, and when it was first tried. */
export type KeptKeys = Record<string, { key: string; atMs: number }>;

/**
 * A mutation that is carried out once, however often it is tried with the same input, since a try with a lost response may have
 * been carried out. After a success, or ten minutes after the first try, the same input means a new request.
 * @param options `kept` holds the keys if they must outlive the form.
 */
export function useOnce<Input, Output>(
  carryOut: (input: Input, options: ReturnType<typeof once>) => Promise<Output>,
  { kept, ...options }: { kept?: RefObject<KeptKeys> } & ChangeOptions<Input, Output> = {},
) {
  const own = useRef<KeptKeys>({});
  const keys = kept ?? own;
  return useSingle<Input, Output>(async (input) => {
    const content = JSON.stringify(input);
    const known = keys.current[content];
    const used = known && Date.now() - known.atMs < KEPT_MS ? known : { key: newKey(), atMs: Date.now() };
    keys.current[content] = used;
    const output = await carryOut(input, once(used.key));
    delete keys.current[content];
    return output;
  }, options);
}
