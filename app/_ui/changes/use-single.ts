import { type UseMutationOptions, useMutation } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { type FailureTexts, toastFailure } from "../toast";

/** `late`: the texts for a failure that comes after the page or dialog that would show it has closed. */
export type ChangeOptions<Input, Output> = Omit<UseMutationOptions<Output, Error, Input>, "mutationFn"> & {
  late?: FailureTexts;
};

/** Returns whether the component is still mounted, for work that may outlive it. */
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
 * A mutation that runs once at a time per input. On a busy machine the second click of a double click, or a second Enter, comes
 * before React has disabled the button: `mutate` ignores it, and `mutateAsync` returns the result of the first call.
 * If the form was closed meanwhile and the options have no `onError`, a toast reports a failure.
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
      // After unmounting, React Query does not call the callbacks of `mutate`.
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
