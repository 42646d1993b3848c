import { type UseMutationOptions, useMutation } from "@tanstack/react-query";
import { useRef } from "react";

/**
 * A mutation that is carried out once at a time for one input: of a double click, or of Enter pressed twice, the second comes before
 * React has disabled the button on a busy machine. `mutate` leaves it out, `mutateAsync` gives it the result of the first.
 */
export function useSingle<Input, Output>(
  carryOut: (input: Input) => Promise<Output>,
  options?: Omit<UseMutationOptions<Output, Error, Input>, "mutationFn">,
) {
  const called = useRef(new Set<string | undefined>());
  const running = useRef(new Map<string | undefined, Promise<Output>>());
  const mutation = useMutation({
    ...options,
    mutationFn: (input: Input) => {
      const content = JSON.stringify(input);
      const begin = () =>
        carryOut(input).finally(() => {
          called.current.delete(content);
          running.current.delete(content);
        });
      const result = running.current.get(content) ?? begin();
      running.current.set(content, result);
      return result;
    },
  });
  const mutate: typeof mutation.mutate = (...call) => {
    const content = JSON.stringify(call[0]);
    if (called.current.has(content)) return;
    called.current.add(content);
    mutation.mutate(...call);
  };
  return { ...mutation, mutate };
}
