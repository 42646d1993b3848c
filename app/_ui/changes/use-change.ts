import type { UseMutationOptions } from "@tanstack/react-query";
import { carriedOut } from "./outcome";
import { useSingle } from "./use-single";

/**
 * A mutation that may be repeated: it sets what is stored. If its response is lost, it looks at what is stored, and has
 * succeeded if that is what was asked for; see `carriedOut`.
 */
export const useChange = <Input, Output>(
  change: (input: Input) => Promise<Output>,
  {
    look,
    ...options
  }: { look: (input: Input) => Promise<Output | undefined> } & Omit<
    UseMutationOptions<Output, Error, Input>,
    "mutationFn"
  >,
) =>
  useSingle<Input, Output>(
    (input) =>
      carriedOut(
        () => change(input),
        () => look(input),
      ),
    options,
  );
