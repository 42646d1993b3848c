import { NumberInput, type NumberInputProps } from "@mantine/core";

/** The decimal separator. By default Mantine accepts a comma too, and turns 1,000 into 1.000. */
const DECIMAL_POINTS = ["."];

type Props = Omit<
  NumberInputProps,
  "allowDecimal" | "decimalScale" | "thousandSeparator" | "allowedDecimalSeparators"
> & {
  /** How many decimals it may have. */
  decimals?: number;
};

/**
 * A field for a number, with commas between thousands as everywhere in the console. It accepts a minus sign, which forms refuse:
 * dropping it silently would turn a pasted number into another one.
 */
export function NumberField({ decimals = 0, ...props }: Props) {
  return (
    <NumberInput
      allowDecimal={decimals > 0}
      decimalScale={decimals}
      thousandSeparator=","
      allowedDecimalSeparators={DECIMAL_POINTS}
      hideControls
      {...props}
    />
  );
}
