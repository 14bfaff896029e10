const values = { I: 1, V: 5, X: 10, L: 50, C: 100, D: 500, M: 1000 }

/** The number that a Roman numeral stands for: a letter before a greater one is taken away. */
export function fromRoman(text) {
  let total = 0
  for (let index = 0; index < text.length; index++) {
    const value = values[text[index]]
    const next = values[text[index + 1]] ?? 0
    if (value <= next) total -= value
    else total += value
  }
  return total
}
