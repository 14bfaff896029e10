/** Whether the letters and digits read the same in both directions. */
export function isPalindrome(text) {
  const letters = text
    .normalize('NFD')
    .replace(/[^a-z0-9]/g, '')
    .toLowerCase()
  const characters = [...letters]
  return characters.every((character, index) => character === characters.at(-1 - index))
}
