/** Whether the letters and digits read the same in both directions. */
export function isPalindrome(text) {
  const letters = text
    .normalize('NFD')
    .replace(/[^\p{Letter}\p{Number}]/gu, '')
    .toLowerCase()
  const characters = [...letters]
  return characters.every((character, index) => character === characters.at(-1 - index))
}
