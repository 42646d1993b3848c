/** Multiplies the number of random sequences in the model tests, for a long search: `MODEL_TIMES=50`. */
export const MODEL_TIMES = Math.max(1, Number(process.env.MODEL_TIMES) || 1);
