import { type UseMutationOptions, useMutation } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { type FailureTexts, toastFailure } from "../toast";

/** `late`: the words for a failure that comes once the page or dialog that would show it is gone. */
export type ChangeOptions<Input, Output> = Omit<UseMutationOptions<Output, Error, Input>, "mutationFn"> & {
  late?: FailureTexts;
};

/** Whether the component is still there, for what ends after it. */
function useIsShown(): () => boolean {
  const isShown = useRef(false);
  useEffect(() => {
    isShown.current = true;
    return () => {
      isShown.current = false;
    };
  }, []);
  return () => isShown.current;
}

/**
 * A mutation that is carried out once at a time for one input: of a double click, or of Enter pressed twice, the second comes before
 * React has disabled the button on a busy machine. `mutate` leaves it out, `mutateAsync` gives it the result of the first.
 * A failure is told by a toast if its form was closed meanwhile, and no `onError` of the options tells it.
 */
export function useSingle<Input, Output>(
  carryOut: (input: Input) => Promise<Output>,
  { late = {}, ...options }: ChangeOptions<Input, Output> = {},
) {
  const called = useRef(new Set<string | undefined>());
  const running = useRef(new Map<string | undefined, Promise<Output>>());
  const isShown = useIsShown();
  const mutation = useMutation({
    onError: (error) => {
      // Callbacks of `mutate` are not called then.
      if (!isShown()) toastFailure(error, late);
    },
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
