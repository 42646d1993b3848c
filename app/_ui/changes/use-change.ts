import { formsTexts } from "@/app/_texts/ui/forms";
import { carriedOut } from "./outcome";
import { type ChangeOptions, useSingle } from "./use-single";

/**
 * A mutation that may be repeated, because it sets stored values. If its response is lost, it checks the stored data, and has
 * succeeded if they are as requested; see `carriedOut`.
 */
export const useChange = <Input, Output>(
  change: (input: Input) => Promise<Output>,
  { look, late, ...options }: { look: (input: Input) => Promise<Output | undefined> } & ChangeOptions<Input, Output>,
) =>
  useSingle<Input, Output>(
    (input) =>
      carriedOut(
        () => change(input),
        () => look(input),
      ),
    { late: { unknown: formsTexts.unknown.ofSave, ...late }, ...options },
  );
