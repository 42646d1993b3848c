/** How many times their usual number of random sequences the model tests run, for a long search: `MODEL_TIMES=50`. */
export const MODEL_TIMES = Math.max(1, Number(process.env.MODEL_TIMES) || 1);
