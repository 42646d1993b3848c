import { type RefObject, useRef } from "react";
import { once } from "@/app/_trpc/client";
import { type ChangeOptions, useSingle } from "../changes/use-single";

/** 32 hexadecimal digits. `randomUUID` exists in secure contexts only, and consoles are opened over plain HTTP as well. */
const newKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");

/** Keys by the content that each stands for. */
export type UsedKeys = Record<string, string>;

/**
 * The Idempotency-Keys of a form: the same content keeps its key, even after another one was tried, so that a request whose
 * response was lost can be repeated without being carried out twice.
 * @param kept where the keys stand, if they are to outlive the form.
 * @returns takes the content of a request, and gives its key.
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

/** A response that was lost is tried again soon; much later the same input is likely to mean another one. */
const KEPT_MS = 10 * 60_000;

/** Keys by the input that each stands for, and when it was first tried. */
export type KeptKeys = Record<string, { key: string; atMs: number }>;

/**
 * A mutation that is carried out once, however often it is tried with the same input: a try whose response was lost may have
 * been carried out. After a success the same input means another one, and ten minutes after its first try.
 * @param options `kept`: where the keys stand, if they are to outlive the form.
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
