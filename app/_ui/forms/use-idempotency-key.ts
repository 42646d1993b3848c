import type { UseMutationOptions } from "@tanstack/react-query";
import { type RefObject, useRef } from "react";
import { once } from "@/app/_trpc/client";
import { useSingle } from "../changes/use-single";

/** 32 hexadecimal digits. `randomUUID` exists in secure contexts only, and consoles are opened over plain HTTP as well. */
const newKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");

/** Keys by the content that each stands for. */
export type UsedKeys = Record<string, string>;

/**
 * The Idempotency-Keys of a form: the same content keeps its key, also after another one was tried, so that a request whose
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

/**
 * A mutation that is carried out once, however often it is tried with the same input: a try whose response was lost may have
 * been carried out. After a success the same input means another one.
 * @param options `kept` as of {@link useIdempotencyKey}.
 */
export function useOnce<Input, Output>(
  carryOut: (input: Input, options: ReturnType<typeof once>) => Promise<Output>,
  {
    kept,
    ...options
  }: { kept?: RefObject<UsedKeys | null> } & Omit<UseMutationOptions<Output, Error, Input>, "mutationFn"> = {},
) {
  const own = useRef<UsedKeys | null>(null);
  const used = kept ?? own;
  const keyOf = useIdempotencyKey(used);
  return useSingle<Input, Output>(async (input) => {
    const output = await carryOut(input, once(keyOf(input)));
    delete used.current?.[JSON.stringify(input)];
    return output;
  }, options);
}
