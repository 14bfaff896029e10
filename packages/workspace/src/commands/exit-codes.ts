import type { OptionRule } from '@jurist/core/internal'

/** The exit code, or those, that count as success. */
export type ExitCodes = number | readonly number[]

const isCode = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0

/** The rule of such an option, for `checkOptions`. */
export const exitCodeRule: OptionRule = {
  wants: 'an exit code or a list of them',
  holds: (value) => isCode(value) || (Array.isArray(value) && value.length > 0 && value.every(isCode)),
}

/** Whether a command ended with one of the codes. */
export function isExpected(code: number | null, expected: ExitCodes): boolean {
  return code !== null && (typeof expected === 'number' ? code === expected : expected.includes(code))
}

/** The codes as they stand in a message. */
export function expectedCodes(expected: ExitCodes): string {
  return typeof expected === 'number' ? String(expected) : expected.join(' or ')
}
