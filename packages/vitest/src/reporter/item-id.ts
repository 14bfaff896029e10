import { createHash } from 'node:crypto'

const maxLength = 120

/**
 * An id of an item for a test: its file and its full name, with what an id may not hold replaced. Where something was
 * replaced or cut, eight digits of a hash keep different tests apart.
 *
 * @example
 * itemIdOf('tests/a.test.ts', 'sums > two numbers') // 'tests_a.test.ts > sums > two numbers-6f1c0a2b'
 */
export function itemIdOf(file: string, fullName: string): string {
  const whole = `${file} > ${fullName}`
  const plain = whole.replace(/[\u0000-\u001f\u007f-\u009f/\\]/g, '_')
  if (plain === whole && plain.length <= maxLength) return plain
  const digest = createHash('sha256').update(whole).digest('hex').slice(0, 8)
  return `${[...plain].slice(0, maxLength - 9).join('')}-${digest}`
}
