/** Two percentages this near are the same: fractions of binary numbers do not decide. */
export const tolerance = 1e-9
