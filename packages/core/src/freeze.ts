/** `Object.freeze` under a short name: everything that leaves this package is frozen, so the word stands often. */
export const freeze: typeof Object.freeze = Object.freeze
