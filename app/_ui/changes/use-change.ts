import { formsTexts } from "@/app/_texts/ui/forms";
import { carriedOut } from "./outcome";
import { type ChangeOptions, useSingle } from "./use-single";

/**
 * A mutation that may be repeated: it sets what is stored. If its response is lost, it looks at what is stored, and has
 * succeeded if that is what was asked for; see `carriedOut`.
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
