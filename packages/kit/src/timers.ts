/** The longest delay, in milliseconds, that `setTimeout` accepts. A longer one overflows and fires immediately. */
export const longestTimerMs: number = 2 ** 31 - 1
